import { type Clock, InputError, type Secret } from "#base";
import type { Forge, ForgeRepository } from "./forge.ts";
import { ForgeHttp, openForgeAgent } from "./forge-http.ts";

export type ForgeKind = Forge["kind"];

/** A token, or an App of GitHub. */
export type ForgeCredentials =
  | { readonly kind: "token"; readonly token: Secret }
  | { readonly kind: "app"; readonly appId: string; readonly installationId: number; readonly privateKey: Secret };

export interface OpenForgeOptions {
  readonly kind: ForgeKind;
  /** The address of the repository, as git has it over https. */
  readonly repository: string;
  readonly credentials: ForgeCredentials;
  readonly certificateAuthority?: string | undefined;
  readonly clock: Pick<Clock, "now">;
}

/** A forge, with connections that disposing closes. */
export interface OpenedForge extends AsyncDisposable {
  readonly forge: Forge;
}

export async function openForge(options: OpenForgeOptions): Promise<OpenedForge> {
  const { kind, credentials, clock, certificateAuthority } = options;
  const repository = parseRepository(options.repository);
  if (kind === "github") {
    const { githubForge } = await import("./github/github-forge.ts");
    const { fetch } = await import("undici");
    const dispatcher = await openForgeAgent(certificateAuthority);
    const send = (url: string, init: object) => fetch(url, { ...init, dispatcher });
    const forge = githubForge(repository, { credentials, clock, fetch: send });
    return { forge, [Symbol.asyncDispose]: () => dispatcher.destroy() };
  }
  if (credentials.kind === "app") {
    throw new InputError(`${kind} has no Apps`, { where: options.repository, next: "use a token" });
  }
  const { token } = credentials;
  const isGitlab = kind === "gitlab";
  const http = new ForgeHttp({
    api: `${repository.server}${isGitlab ? "/api/v4" : "/api/v1"}`,
    authorization: isGitlab
      ? { header: "private-token", prefix: "", token }
      : { header: "authorization", prefix: "token ", token },
    certificateAuthority,
    clock,
  });
  const forge = isGitlab
    ? (await import("./gitlab/gitlab-forge.ts")).gitlabForge(http, repository)
    : (await import("./gitea/gitea-forge.ts")).giteaForge(http, repository);
  return { forge, [Symbol.asyncDispose]: () => http[Symbol.asyncDispose]() };
}

/** `https://host/owner/name.git`. */
function parseRepository(address: string): ForgeRepository {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const name = url?.pathname.replaceAll(/^\/+|\/+$/g, "").replace(/\.git$/, "") ?? "";
  if (!url || !/^https?:$/.test(url.protocol) || !/^[^/]+(\/[^/]+)+$/.test(name)) {
    throw new InputError("expected the https address of a repository, like https://forge.example/owner/name.git", {
      where: address,
    });
  }
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === "https:" || isLocal) return { server: url.origin, name };
  throw new InputError("a token is sent only to an https address, or over http on this machine", {
    where: address,
    next: "use the forge's https address",
  });
}
