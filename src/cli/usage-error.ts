/**
 * The command line cannot be understood. An `InputError` for the one part of Tenon that must not import `#base`:
 * `tenon --help` would pay for loggers and metrics.
 */
export class UsageError extends Error {
  readonly next: string;

  constructor(what: string, next: string) {
    super(what);
    this.next = next;
  }

  override get name(): string {
    return "UsageError";
  }
}
