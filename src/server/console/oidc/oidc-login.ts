import { hash, randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "#base";
import type { ClusterAccess, Credentials } from "#kube";
import type { IdentityProvider, IssuedTokens } from "./identity-provider.ts";
import { type IdClaims, LoginRefused } from "./verify-id-token.ts";

/** A login that is under way at the provider. */
export interface PendingLogin {
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
  /** The path of the console to go to afterwards. */
  readonly goTo: string;
}

const pendingMs = 10 * 60_000;
/** Anyone can begin one. */
const mostPending = 1_000;

/** Logins under way, by the hash of their state; each ends once. */
export class PendingLogins {
  readonly #pending = new Map<string, PendingLogin & { readonly until: number; readonly browser: string }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(redirectUri: string, goTo: string): { state: string; browser: string; challenge: string; nonce: string } {
    const [state, nonce, verifier, browser] = [newKey(), newKey(), newKey(), newKey()];
    const [oldest] = this.#pending.keys();
    if (this.#pending.size >= mostPending && oldest !== undefined) this.#pending.delete(oldest);
    const until = this.#clock.monotonic() + pendingMs;
    this.#pending.set(hash("sha256", state), {
      nonce,
      verifier,
      redirectUri,
      goTo,
      until,
      browser: hash("sha256", browser),
    });
    return { state, browser, nonce, challenge: hash("sha256", verifier, "base64url") };
  }

  /** The login with this state, if this browser began it; never twice. */
  take(state: string, browser: string): PendingLogin | undefined {
    const id = hash("sha256", state);
    const pending = this.#pending.get(id);
    // Another browser does not end it: it may be the one of the person whom a forged link was sent to.
    if (!pending || pending.browser !== hash("sha256", browser)) return undefined;
    this.#pending.delete(id);
    return this.#clock.monotonic() <= pending.until ? pending : undefined;
  }
}

function newKey(): string {
  return randomBytes(32).toString("base64url");
}

/** How claims become a user of Kubernetes whom the console impersonates. */
export interface ImpersonationRule {
  readonly usernameClaim: string;
  readonly usernamePrefix: string;
  readonly groupsClaim?: string | undefined;
  readonly groupsPrefix: string;
}

/** Names that begin so are of Kubernetes itself, and some may do everything. */
const reserved = "system:";

function impersonatedIdentity(claims: IdClaims, rule: ImpersonationRule): { user: string; groups: string[] } {
  const { usernameClaim, usernamePrefix, groupsClaim, groupsPrefix } = rule;
  const name = claims[usernameClaim];
  if (typeof name !== "string" || name === "") throw new LoginRefused(`the id token has no ${usernameClaim}`);
  if (usernameClaim === "email" && claims["email_verified"] !== true) {
    throw new LoginRefused("the provider has not verified the e-mail address");
  }
  const listed = groupsClaim === undefined ? [] : claims[groupsClaim];
  const named = typeof listed === "string" ? [listed] : Array.isArray(listed) ? listed : [];
  const groups = named.filter((each) => typeof each === "string").map((each) => `${groupsPrefix}${each}`);
  const user = `${usernamePrefix}${name}`;
  const taken = [user, ...groups].find((each) => each.startsWith(reserved));
  if (taken !== undefined) throw new LoginRefused(`${taken} is a name of Kubernetes itself`);
  // The API server adds `system:authenticated` by itself.
  return { user, groups };
}

/** Renewed so long before it expires that no request meets an expired token. */
const aheadMs = 30_000;

/** The tokens of one person, renewed while the provider allows it. */
export class OidcTokens {
  readonly #provider: IdentityProvider;
  readonly #clock: Clock;
  #issued: IssuedTokens;
  #renewing: Promise<void> | undefined;

  constructor(provider: IdentityProvider, issued: IssuedTokens, clock: Clock) {
    this.#provider = provider;
    this.#issued = issued;
    this.#clock = clock;
  }

  /** Tokens that are valid now; rejects once the login has ended at the provider. */
  async current(signal: AbortSignal): Promise<IssuedTokens> {
    const left = () => this.#issued.claims.exp * 1_000 - this.#clock.now();
    if (left() > aheadMs) return this.#issued;
    // Shared, so that a refresh token that works once is used once.
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    try {
      await this.#renewing;
    } catch (error) {
      // The provider may be away for a moment: what is still valid counts.
      if (left() <= 0) throw new LoginRefused("the login has ended at the provider", { cause: error });
    }
    signal.throwIfAborted();
    return this.#issued;
  }

  async end(backTo: string, signal: AbortSignal): Promise<string | undefined> {
    return await this.#provider.end(this.#issued, backTo, signal);
  }

  async #renew(): Promise<void> {
    this.#issued = await this.#provider.refresh(this.#issued, new AbortController().signal);
  }

  /**
   * The way to the API server as this person: with the id token as their token, or, with a rule, with the console's own credentials,
   * which must be allowed to impersonate the person. Neither outlives the login.
   */
  accessBy(own: ClusterAccess, rule: ImpersonationRule | undefined): ClusterAccess {
    const { impersonation: _, ...reached } = own;
    const { signal } = new AbortController();
    if (rule) {
      const identity = impersonatedIdentity(this.#issued.claims, rule);
      const credentials: Credentials = {
        current: async (limit = signal) => {
          const { claims } = await this.current(limit);
          if (!isDeepStrictEqual(impersonatedIdentity(claims, rule), identity)) {
            throw new LoginRefused("the name or the groups of the person have changed at the provider");
          }
          return await own.credentials.current(limit);
        },
        renew: (rejected, limit) => own.credentials.renew(rejected, limit),
      };
      return { ...reached, credentials, impersonation: identity };
    }
    const credentials: Credentials = {
      current: async (limit = signal) => ({ token: (await this.current(limit)).idToken }),
      renew: async () => false,
    };
    return { ...reached, credentials };
  }
}
