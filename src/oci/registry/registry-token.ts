import { type Clock, isRecord, Secret } from "#base";
import { type AuthChallenge, parseChallenges } from "./auth-challenge.ts";
import type { RegistryCredential } from "./docker-config.ts";
import { hopProblem, type HopRules } from "./hop-check.ts";
import { deniedError, readRetryAfter, RegistryError, type RequestSubject } from "./registry-error.ts";
import type { HttpAnswer, RegistryHttp } from "./registry-http.ts";

export interface AuthorizerOptions {
  readonly registry: URL;
  readonly credential: RegistryCredential | undefined;
  readonly http: RegistryHttp;
  readonly rules: HopRules;
  readonly clock: Clock;
}

interface Token {
  readonly header: Secret;
  readonly expiresAt: number;
}

/** A token without `expires_in` lasts so long: https://distribution.github.io/distribution/spec/auth/token/ */
const defaultLifetimeMs = 60_000;
/** Renewed so much earlier, because it travels and the registry's clock may differ. */
const marginMs = 5_000;
const largestToken = 256 * 1024;

/**
 * Proves to one registry who we are: Basic, or Bearer with a token for exactly the scopes of a request. Nothing is sent
 * before the registry has asked for it.
 */
export class RegistryAuthorizer {
  readonly #options: AuthorizerOptions;
  readonly #tokens = new Map<string, Promise<Token>>();
  readonly #registryToken: Secret | undefined;
  readonly #basic: Secret | undefined;
  #challenge: AuthChallenge | undefined;

  constructor(options: AuthorizerOptions) {
    this.#options = options;
    const { registryToken, basic } = options.credential ?? {};
    this.#registryToken = registryToken && new Secret(`Bearer ${registryToken.reveal()}`);
    this.#basic = basic && new Secret(`Basic ${basic.reveal()}`);
  }

  get credential(): RegistryCredential | undefined {
    return this.#options.credential;
  }

  /** The value of `Authorization`; undefined if none is known to be needed. */
  async header(subject: RequestSubject, scopes: readonly string[], signal: AbortSignal): Promise<Secret | undefined> {
    if (this.#registryToken) return this.#registryToken;
    if (this.#challenge === undefined) return undefined;
    if (this.#challenge.scheme === "basic") return this.#basic;
    return (await this.#token(subject, scopes, signal)).header;
  }

  /**
   * After a 401: the header for a second attempt; undefined if there is no other. A token that was presented is renewed: it
   * may have expired.
   */
  async respond(
    asked: string,
    presented: Secret | undefined,
    subject: RequestSubject,
    scopes: readonly string[],
    signal: AbortSignal,
  ): Promise<Secret | undefined> {
    const challenges = parseChallenges(asked);
    const bearer = challenges.find(({ scheme, parameters }) => scheme === "bearer" && parameters["realm"]);
    const basic = challenges.find(({ scheme }) => scheme === "basic");
    const chosen = bearer ?? basic;
    if (chosen === undefined) return undefined;
    this.#challenge = chosen;
    if (chosen === bearer) {
      const token = await this.#tokens.get(scopes.join(" "))?.catch(() => undefined);
      if (presented !== undefined && token?.header.equals(presented)) this.#tokens.delete(scopes.join(" "));
    } else if (presented !== undefined) {
      return undefined;
    }
    const next = await this.header(subject, scopes, signal);
    return next !== undefined && presented?.equals(next) ? undefined : next;
  }

  async #token(subject: RequestSubject, scopes: readonly string[], signal: AbortSignal): Promise<Token> {
    const key = scopes.join(" ");
    const known = await this.#tokens.get(key)?.catch(() => undefined);
    if (known && known.expiresAt - marginMs > this.#options.clock.monotonic()) return known;
    const fetched = this.#fetch(subject, scopes, signal);
    this.#tokens.set(key, fetched);
    return await fetched;
  }

  async #fetch(subject: RequestSubject, scopes: readonly string[], signal: AbortSignal): Promise<Token> {
    const { http, clock } = this.#options;
    const { realm, send } = this.#request(subject, scopes);
    let answer: HttpAnswer;
    try {
      answer = await http.send({ url: realm, ...send }, signal);
    } catch (cause) {
      signal.throwIfAborted();
      throw new RegistryError(`${subject.registry}: its token server ${realm.origin} does not answer`, { cause });
    }
    const text = await readSmall(answer);
    if (answer.status === 401 || answer.status === 403) {
      throw deniedError(subject, `${answer.status} from its token server ${realm.origin}`);
    }
    if (answer.status !== 200) {
      const retryAfterMs = readRetryAfter(answer.headers["retry-after"], clock.now());
      throw new RegistryError(`${subject.registry}: its token server ${realm.origin} answers ${answer.status}`, {
        status: answer.status,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      });
    }
    const { token, lifetimeMs } = readToken(text, realm, subject);
    return { header: new Secret(`Bearer ${token}`), expiresAt: clock.monotonic() + lifetimeMs };
  }

  /** GET with Basic, or with an identity token OAuth's POST: https://distribution.github.io/distribution/spec/auth/oauth/ */
  #request(subject: RequestSubject, scopes: readonly string[]) {
    const { credential, registry, rules } = this.#options;
    const { realm: address = "", service } = this.#challenge?.parameters ?? {};
    const realm = URL.canParse(address, registry.href) ? new URL(address, registry) : undefined;
    const problem = realm ? hopProblem(registry, realm, rules) : "it is not a URL";
    if (realm === undefined || problem !== undefined) {
      throw new RegistryError(`${subject.registry}: refused to send credentials to its token server: ${problem}`, {
        next: "check that this is the registry you mean",
      });
    }
    const accept = { accept: "application/json" };
    if (credential?.identityToken) {
      const form = new URLSearchParams({
        grant_type: "refresh_token",
        refresh_token: credential.identityToken.reveal(),
        client_id: "tenon",
        ...(service === undefined ? {} : { service }),
        scope: scopes.join(" "),
      });
      const headers = { ...accept, "content-type": "application/x-www-form-urlencoded" };
      return { realm, send: { method: "POST" as const, headers, body: Buffer.from(form.toString()) } };
    }
    if (service !== undefined) realm.searchParams.set("service", service);
    for (const scope of scopes) realm.searchParams.append("scope", scope);
    if (credential?.username !== undefined) realm.searchParams.set("account", credential.username);
    const authorization = credential?.basic ? { authorization: `Basic ${credential.basic.reveal()}` } : {};
    return { realm, send: { method: "GET" as const, headers: { ...accept, ...authorization } } };
  }
}

async function readSmall({ body }: HttpAnswer): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    const bytes = Buffer.from(part);
    size += bytes.length;
    if (size > largestToken) break;
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString();
}

function readToken(text: string, realm: URL, { registry }: RequestSubject): { token: string; lifetimeMs: number } {
  const value = parseAnswer(text);
  const { token, access_token: accessToken, expires_in: seconds } = isRecord(value) ? value : {};
  const found = [token, accessToken].find((each) => typeof each === "string" && each !== "");
  if (typeof found !== "string" || !/^[\x21-\x7e]+$/.test(found)) {
    throw new RegistryError(`${registry}: its token server ${realm.origin} answers without a token`);
  }
  const lifetimeMs = typeof seconds === "number" && seconds > 0 ? seconds * 1000 : defaultLifetimeMs;
  return { token: found, lifetimeMs };
}

/** Not the parser's error: it quotes the text, which holds a token. */
function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
