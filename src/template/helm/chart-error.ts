import { type ErrorDetails, InputError } from "#base";

/** A chart cannot be rendered, or not with these values. */
export class ChartError extends InputError {
  /** The error text of `helm template`. */
  readonly helmMessage: string;

  constructor(what: string, details: ErrorDetails & { readonly helmMessage: string }) {
    super(what, details);
    this.helmMessage = details.helmMessage;
  }

  override get name(): string {
    return "ChartError";
  }
}
