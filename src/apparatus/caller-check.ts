import { createHash } from "node:crypto";
import type { Clock, Logger } from "#base";

/** Resolves to the user name of a token; undefined if the token is not valid. Rejects if it cannot be verified. */
export type Verifier = (token: string) => Promise<string | undefined>;

interface CallerRefusal {
  readonly status: 401 | 403 | 503;
  readonly error: string;
}

interface CallerCheckOptions {
  readonly verify: Verifier;
  /** User names that may call; undefined: every valid token. */
  readonly callers: readonly string[] | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How long a verification is cached; a revoked token stays valid for this long. */
const memoryMs = 60_000;
const memoryLimit = 100;

/**
 * Refuses callers, with the reason.
 * Anyone who can start a pod can get a token of our audience, for a service account of their own: only `callers` excludes them.
 */
export class CallerCheck {
  readonly #options: CallerCheckOptions;
  readonly #verdicts = new Map<string, { readonly until: number; readonly name: Promise<string | undefined> }>();

  constructor(options: CallerCheckOptions) {
    this.#options = options;
  }

  async refuse(authorization: string | undefined): Promise<CallerRefusal | undefined> {
    const { callers, log } = this.#options;
    const [, token] = /^bearer +(\S+)$/i.exec(authorization ?? "") ?? [];
    if (token === undefined) return { status: 401, error: "expected a token: Authorization: Bearer TOKEN" };
    let name: string | undefined;
    try {
      name = await this.#nameOf(token);
    } catch (error) {
      log.error("cannot verify the token of a caller", { error });
      return { status: 503, error: "the token cannot be verified; the log of the apparatus says why" };
    }
    if (name === undefined) return { status: 401, error: "the token is not valid for this apparatus" };
    if (callers === undefined || callers.includes(name)) return undefined;
    log.warn("refused a caller", { caller: name });
    return { status: 403, error: `${name} may not call this apparatus` };
  }

  #nameOf(token: string): Promise<string | undefined> {
    const { clock, verify } = this.#options;
    const key = createHash("sha256").update(token).digest("hex");
    const now = clock.monotonic();
    const known = this.#verdicts.get(key);
    if (known && now < known.until) return known.name;
    const name = verify(token);
    // A failed verification is not cached.
    name.catch(() => this.#verdicts.delete(key));
    this.#verdicts.delete(key);
    this.#verdicts.set(key, { until: now + memoryMs, name });
    const [oldest] = this.#verdicts.keys();
    if (this.#verdicts.size > memoryLimit && oldest !== undefined) this.#verdicts.delete(oldest);
    return name;
  }
}
