import { KnownValues } from "./known-values.ts";
import { redact, type Secret } from "./secret.ts";

/**
 * What was secret in the last look at something and in the one under way, for texts that are read by others than the log is:
 * a mask of anybody else's secret would tell them that somebody has it.
 */
export class HeldSecrets {
  #before: ReadonlySet<Secret> = new Set();
  #now = new Set<Secret>();
  #known: KnownValues | undefined;

  hold(secrets: Iterable<Secret>): void {
    for (const secret of secrets) this.#now.add(secret);
    this.#known = undefined;
  }

  /** The look is over. What it held stays until the end of the next one: something may be said later. */
  endAttempt(): void {
    this.#before = this.#now;
    this.#now = new Set();
    this.#known = undefined;
  }

  /** The text with the values of these secrets masked, and of no others. */
  redact(text: string): string {
    // All that is held is known to everybody's `redact`: most texts hold none of it, and nothing needs to be prepared for them.
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
