import { type Clock, Secret } from "#base";
import { ForgeError } from "../forge-error.ts";

/** A token of a person or a machine account, or an App of which Tenon asks short-lived ones. */
export type GithubCredentials =
  | { readonly kind: "token"; readonly token: Secret }
  | { readonly kind: "app"; readonly appId: string; readonly installationId: number; readonly privateKey: Secret };

/** Asks GitHub for a token of an installation, with the App's own signed token. */
export type RequestInstallationToken = (
  installationId: number,
  appToken: Secret,
  signal: AbortSignal,
) => Promise<{ readonly token: string; readonly expires_at: string }>;

/** A token is asked for again this long before it ends, so that none ends in the middle of a call. */
const marginMs = 60_000;

/** Gives the token to call with, and keeps that of an App for as long as it is valid. */
export class GithubTokens {
  readonly #credentials: GithubCredentials;
  readonly #request: RequestInstallationToken;
  readonly #clock: Pick<Clock, "now">;
  #kept: { readonly token: Secret; readonly expiresAt: number } | undefined;

  constructor(credentials: GithubCredentials, request: RequestInstallationToken, clock: Pick<Clock, "now">) {
    this.#credentials = credentials;
    this.#request = request;
    this.#clock = clock;
  }

  async get(signal: AbortSignal): Promise<Secret> {
    const credentials = this.#credentials;
    if (credentials.kind === "token") return credentials.token;
    if (this.#kept && this.#kept.expiresAt - marginMs > this.#clock.now()) return this.#kept.token;
    const { default: sign } = await import("universal-github-app-jwt");
    const { appId: id, privateKey, installationId } = credentials;
    const signed = await sign({ id, privateKey: privateKey.reveal(), now: Math.floor(this.#clock.now() / 1_000) });
    const answer = await this.#request(installationId, new Secret(signed.token), signal);
    const expiresAt = Date.parse(answer.expires_at);
    if (Number.isNaN(expiresAt)) throw new ForgeError("GitHub gave a token without a valid end");
    this.#kept = { token: new Secret(answer.token), expiresAt };
    return this.#kept.token;
  }
}
