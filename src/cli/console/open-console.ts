import { readFile } from "node:fs/promises";
import { InputError, type Logger, Secret, systemClock } from "#base";
import type { ClusterAccess } from "#kube";
import {
  type ConsoleData,
  type ConsoleServer,
  IdentityProvider,
  isLoopbackHost,
  loadFiles,
  type OidcOptions,
  serveConsole,
} from "#server";
import type { TenonConfig } from "../control/tenon-config.ts";
import type { Shell } from "../shell.ts";
import { defaultConsolePort } from "./background-console.ts";
import { preparePages } from "./prepare-pages.ts";

/** As in `tenon.yaml`; options of `tenon console` override it. */
export type ConsoleSettings = NonNullable<TenonConfig["console"]>;

/** Serves the console, and prints its address, with a link for the person who started it. */
export async function openConsole(
  settings: ConsoleSettings,
  access: ClusterAccess,
  log: Logger,
  shell: Shell,
  data?: ConsoleData,
): Promise<ConsoleServer> {
  const { host = "127.0.0.1", port = defaultConsolePort, readOnly = false, writable = false } = settings;
  const publicUrl = settings.publicUrl === undefined ? undefined : parsePublicUrl(settings.publicUrl);
  if (!publicUrl && !isLoopbackHost(host)) {
    throw new InputError(`others can reach ${host}, and tokens would travel unencrypted`, {
      where: "--host",
      next: "put a proxy with TLS before the console, and name its address with --public-url",
    });
  }
  const isShared = isSharedConsole(access, publicUrl);
  const isReadOnly = readOnly || (isShared && !writable);
  let isFirst = true;
  const server = await serveConsole({
    access,
    host,
    port,
    publicUrl,
    isReadOnly,
    oidc: await openProvider(settings),
    data,
    files: await loadFiles(await preparePages(shell)),
    clock: systemClock,
    log,
    ...(isShared
      ? {}
      : {
          onLink: (link: string) => {
            const purpose = isFirst ? "log in with this link, which works once, within 15 min" : "for another browser";
            isFirst = false;
            shell.stdout.write(`${purpose}:\n  ${link}\n`);
          },
        }),
  });
  shell.stdout.write(`the console of ${access.context} is at ${server.origin}${isReadOnly ? ", read-only" : ""}\n`);
  return server;
}

const defaultScopes = ["profile", "email", "offline_access"];

async function openProvider({ oidc }: ConsoleSettings): Promise<OidcOptions | undefined> {
  if (!oidc) return undefined;
  const { issuer, clientId, clientSecretFile, scopes = defaultScopes, impersonate } = oidc;
  const clientSecret = clientSecretFile === undefined ? undefined : await readSecretFile(clientSecretFile);
  const provider = new IdentityProvider({ issuer: new URL(issuer), clientId, clientSecret, scopes }, systemClock);
  if (!impersonate) return { provider };
  const { usernameClaim = "sub", usernamePrefix = "oidc:", groupsClaim, groupsPrefix = "oidc:" } = impersonate;
  return { provider, impersonation: { usernameClaim, usernamePrefix, groupsClaim, groupsPrefix } };
}

async function readSecretFile(file: string): Promise<Secret> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new InputError("cannot read the client secret", { where: file, next: "check the path", cause });
  });
  if (text.trim() === "") throw new InputError("the client secret is empty", { where: file, next: "put it there" });
  return new Secret(text.trim());
}

/**
 * Whether others than the person who started the console use it. Who holds a link has the rights of who started the console: where
 * others can reach it, or read what it prints, as the log of a pod, there is none.
 */
export function isSharedConsole({ context }: Pick<ClusterAccess, "context">, publicUrl: URL | undefined): boolean {
  return publicUrl !== undefined || context === "in-cluster";
}

function parsePublicUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" && url.pathname === "/" && url.search === "" && url.hash === "") return url;
  throw new InputError(`expected an https address without a path, got ${JSON.stringify(text)}`, {
    where: "--public-url",
    next: "write it like https://tenon.example.com",
  });
}
