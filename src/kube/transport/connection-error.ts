import { QuotingError } from "#base";

/**
 * Why there was no complete answer.
 * `broken`: the connection ended before the answer was complete. `credentials`: no credentials could be obtained.
 */
export type ConnectionFailure =
  | "refused"
  | "unknown-host"
  | "unreachable"
  | "untrusted"
  | "proxy"
  | "timeout"
  | "broken"
  | "too-large"
  | "credentials"
  | "closed";

export interface ConnectionErrorDetails {
  readonly failure: ConnectionFailure;
  /** Whether the server may have received the request, and so may have acted on it. */
  readonly wasSent: boolean;
  readonly next?: string;
  readonly cause?: unknown;
}

/** There was no complete answer. The message names the server and the context, and says what to do. */
export class ConnectionError extends QuotingError {
  readonly failure: ConnectionFailure;
  readonly wasSent: boolean;
  readonly next: string | undefined;

  constructor(what: string, { failure, wasSent, next, cause }: ConnectionErrorDetails) {
    super(next === undefined ? what : `${what}; ${next}`, cause === undefined ? {} : { cause });
    this.failure = failure;
    this.wasSent = wasSent;
    this.next = next;
  }

  override get name(): string {
    return "ConnectionError";
  }
}
