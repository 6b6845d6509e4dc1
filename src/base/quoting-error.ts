import { redact } from "./secret.ts";

/**
 * An error that quotes remote text, such as an answer of the API server, which may contain secrets. Its message masks all
 * known secrets; `describeError` masks fewer for readers to whom a mask itself would reveal something.
 */
export abstract class QuotingError extends Error {
  readonly #said: string;

  constructor(said: string, options: ErrorOptions = {}) {
    super(redact(said), options);
    this.#said = said;
  }

  /** The original text, secrets included; for code that parses it, never for output. */
  get said(): string {
    return this.#said;
  }
}
