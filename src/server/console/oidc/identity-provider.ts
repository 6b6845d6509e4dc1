import { z } from "zod";
import { type Clock, InputError, Secret } from "#base";
import { type IdClaims, keyIdOf, LoginRefused, ProviderKeys, verifyIdToken } from "./verify-id-token.ts";

export interface ProviderOptions {
  readonly issuer: URL;
  readonly clientId: string;
  /** Absent for a public client, which PKCE alone protects. */
  readonly clientSecret?: Secret | undefined;
  readonly scopes: readonly string[];
}

/** What the provider gave for one login. */
export interface IssuedTokens {
  readonly idToken: Secret;
  readonly claims: IdClaims;
  readonly refreshToken?: Secret;
}

const Discovery = z.object({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  jwks_uri: z.url(),
  end_session_endpoint: z.url().optional(),
  revocation_endpoint: z.url().optional(),
});
type Discovery = z.infer<typeof Discovery>;

const TokenAnswer = z.object({ id_token: z.string().optional(), refresh_token: z.string().optional() });

const patienceMs = 10_000;
const trustMs = 60 * 60_000;
/** A token with an unknown key makes us ask for keys again, but not more often than this. */
const keysAgainMs = 60_000;
const largestAnswer = 1_048_576;

/** One OpenID Connect provider, by its documented routes. */
export class IdentityProvider {
  readonly options: ProviderOptions;
  readonly #clock: Clock;
  #known: { readonly discovery: Discovery; readonly at: number } | undefined;
  #keys: { readonly keys: ProviderKeys; readonly at: number } | undefined;

  constructor(options: ProviderOptions, clock: Clock) {
    requireEncryption(options.issuer.href, "--oidc-issuer");
    this.options = options;
    this.#clock = clock;
  }

  /** As the provider writes it: tokens must have the same text. */
  get issuer(): string {
    return this.options.issuer.href.replace(/\/$/, "");
  }

  async authorizationUrl(
    login: { readonly state: string; readonly nonce: string; readonly challenge: string; readonly redirectUri: string },
    signal: AbortSignal,
  ): Promise<string> {
    const { discovery } = await this.#discover(signal);
    const url = new URL(discovery.authorization_endpoint);
    const query = {
      response_type: "code",
      client_id: this.options.clientId,
      redirect_uri: login.redirectUri,
      scope: [...new Set(["openid", ...this.options.scopes])].join(" "),
      state: login.state,
      nonce: login.nonce,
      code_challenge: login.challenge,
      code_challenge_method: "S256",
    };
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url.href;
  }

  async redeem(
    given: { readonly code: string; readonly verifier: string; readonly redirectUri: string; readonly nonce: string },
    signal: AbortSignal,
  ): Promise<IssuedTokens> {
    const { code, verifier, redirectUri, nonce } = given;
    return await this.#ask(
      { grant_type: "authorization_code", code, code_verifier: verifier, redirect_uri: redirectUri },
      nonce,
      signal,
    );
  }

  /** Refuses a token of another person than before. */
  async refresh(before: IssuedTokens, signal: AbortSignal): Promise<IssuedTokens> {
    if (!before.refreshToken) throw new LoginRefused("the provider gave no refresh token");
    const refreshToken = before.refreshToken;
    const grant = { grant_type: "refresh_token", refresh_token: refreshToken.reveal() };
    const issued = await this.#ask(grant, undefined, signal);
    if (issued.claims.sub !== before.claims.sub) throw new LoginRefused("the renewed id token is of another person");
    return { refreshToken, ...issued };
  }

  /** Tells the provider that the login is over; returns where the browser can end its session there, if the provider has that. */
  async end({ refreshToken }: IssuedTokens, backTo: string, signal: AbortSignal): Promise<string | undefined> {
    const { discovery } = await this.#discover(signal);
    if (refreshToken && discovery.revocation_endpoint !== undefined) {
      const body = { token: refreshToken.reveal(), token_type_hint: "refresh_token" };
      await this.#post(discovery.revocation_endpoint, body, signal);
    }
    if (discovery.end_session_endpoint === undefined) return undefined;
    const url = new URL(discovery.end_session_endpoint);
    // Without a hint, which would bring the id token into the browser: the provider asks the person instead.
    url.searchParams.set("client_id", this.options.clientId);
    url.searchParams.set("post_logout_redirect_uri", backTo);
    return url.href;
  }

  async #ask(
    grant: Readonly<Record<string, string>>,
    nonce: string | undefined,
    signal: AbortSignal,
  ): Promise<IssuedTokens> {
    const { discovery } = await this.#discover(signal);
    const answer = await this.#post(discovery.token_endpoint, grant, signal);
    const read = TokenAnswer.safeParse(answer);
    if (!read.success || read.data.id_token === undefined) throw new LoginRefused("the provider gave no id token");
    const { id_token: text, refresh_token: refreshToken } = read.data;
    const idToken = new Secret(text);
    const claims = verifyIdToken(text, await this.#keysFor(text, discovery, signal), {
      issuer: discovery.issuer,
      clientId: this.options.clientId,
      now: this.#clock.now(),
      ...(nonce === undefined ? {} : { nonce }),
    });
    return { idToken, claims, ...(refreshToken === undefined ? {} : { refreshToken: new Secret(refreshToken) }) };
  }

  async #discover(signal: AbortSignal): Promise<{ readonly discovery: Discovery }> {
    const now = this.#clock.monotonic();
    if (this.#known && now - this.#known.at < trustMs) return this.#known;
    const discovery = Discovery.parse(await getJson(`${this.issuer}/.well-known/openid-configuration`, {}, signal));
    // Else one provider could speak for another: OpenID Connect Discovery 4.3.
    if (discovery.issuer.replace(/\/$/, "") !== this.issuer) {
      throw new LoginRefused(`the provider calls itself ${discovery.issuer}`);
    }
    for (const [name, url] of Object.entries(discovery)) {
      if (name !== "issuer" && url !== undefined) requireEncryption(url, name);
    }
    this.#known = { discovery, at: now };
    return this.#known;
  }

  async #keysFor(token: string, discovery: Discovery, signal: AbortSignal): Promise<ProviderKeys> {
    const now = this.#clock.monotonic();
    const id = keyIdOf(token);
    const known = this.#keys;
    const isThere = known?.keys.keys.some(({ kid }) => id === undefined || kid === id) === true;
    if (known && (isThere ? now - known.at < trustMs : now - known.at < keysAgainMs)) return known.keys;
    const keys = ProviderKeys.parse(await getJson(discovery.jwks_uri, {}, signal));
    this.#keys = { keys, at: now };
    return keys;
  }

  async #post(url: string, body: Readonly<Record<string, string>>, signal: AbortSignal): Promise<unknown> {
    const { clientId, clientSecret } = this.options;
    const form = new URLSearchParams(body);
    const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" });
    if (clientSecret) headers.set("authorization", `Basic ${basicOf(clientId, clientSecret)}`);
    else form.set("client_id", clientId);
    return await getJson(url, { method: "POST", headers, body: form }, signal);
  }
}

/** RFC 6749, 2.3.1: both are encoded as in a form first. */
function basicOf(clientId: string, clientSecret: Secret): string {
  return Buffer.from(`${encodeInForm(clientId)}:${encodeInForm(clientSecret.reveal())}`).toString("base64");
}

function encodeInForm(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}

async function getJson(url: string, init: RequestInit, signal: AbortSignal): Promise<unknown> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  const answer = await fetch(url, { ...init, redirect: "error", signal: limit }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new LoginRefused(`the provider does not answer at ${new URL(url).origin}`, { cause });
  });
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.byteLength;
    if (length > largestAnswer) throw new LoginRefused("the answer of the provider is too large");
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  if (!answer.ok) throw new LoginRefused(`the provider answered ${answer.status}${describeFailure(text)}`);
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    throw new LoginRefused("the provider did not answer with JSON");
  }
}

/** RFC 6749, 5.2: the code alone, of the characters that it may have. */
function describeFailure(text: string): string {
  const [, code = ""] = /"error"\s*:\s*"([\w .-]{1,60})"/.exec(text) ?? [];
  return code === "" ? "" : `: ${code}`;
}

function requireEncryption(url: string, where: string): void {
  const { protocol, hostname } = new URL(url);
  const isOwnMachine = hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
  if (protocol === "https:" || (protocol === "http:" && isOwnMachine)) return;
  throw new InputError(`expected an https address, got ${protocol}//${hostname}`, {
    where,
    next: "use a provider with TLS: tokens travel to it",
  });
}
