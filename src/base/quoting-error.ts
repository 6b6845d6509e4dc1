import { redact } from "./secret.ts";

/**
 * An error that quotes others, whose words may hold secrets: all known ones are masked in its message.
 * To whom even a mask would tell something, `describeError` says it in another way.
 */
export abstract class QuotingError extends Error {
  readonly #said: string;

  constructor(said: string, options: ErrorOptions = {}) {
    super(redact(said), options);
    this.#said = said;
  }

  /** As it was said, secrets included: for programs that read it. */
  get said(): string {
    return this.#said;
  }
}
