import { KnownValues } from "./known-values.ts";
import { redact, type Secret } from "./secret.ts";

/** Shared: there may be many thousands of plugs without a secret. */
const none: ReadonlySet<Secret> = new Set();

/**
 * The secrets that the current and the previous attempt have read. It masks texts for readers who may see fewer secrets than
 * the log knows: masking the secrets of other tenants too would reveal to a reader that a tenant has that value.
 */
export class HeldSecrets {
  #before: ReadonlySet<Secret> = none;
  #now: ReadonlySet<Secret> = none;
  #known: KnownValues | undefined;

  hold(secrets: Iterable<Secret>): void {
    const added = [...secrets];
    if (added.length === 0) return;
    this.#now = new Set([...this.#now, ...added]);
    this.#known = undefined;
  }

  /** Keeps the secrets of this attempt until the next one ends, because messages about it may still be written. */
  endAttempt(): void {
    this.#before = this.#now;
    this.#now = none;
    this.#known = undefined;
  }

  /** The text with the values of these secrets masked, and of no others. */
  redact(text: string): string {
    // The global `redact` knows these secrets too. It changes few texts, and only these need the search below.
    if (redact(text) === text) return text;
    this.#known ??= this.#prepare();
    return this.#known.redact(text);
  }

  #prepare(): KnownValues {
    const known = new KnownValues();
    for (const secret of [...this.#before, ...this.#now]) known.hold(secret.reveal());
    return known;
  }
}
