import { QuotingError, redact } from "#base";

/** One of several reasons for a failure, often a field at fault. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** What a `Status` says beyond its message: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/ */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  /** The resource or the kind, depending on who wrote the Status. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface ApiErrorFields {
  readonly status: number;
  readonly reason: string;
  readonly details?: StatusDetails;
  readonly retryAfterMs?: number;
  readonly continueToken?: string;
  /** What the reader should do now. */
  readonly next?: string;
}

/** The API server, or something before it, answered with a failure. `reason` is the machine's word for it: `NotFound`. */
export class ApiError extends QuotingError {
  readonly status: number;
  readonly reason: string;
  readonly details?: StatusDetails;
  readonly retryAfterMs?: number;
  /** With an expired list: where to go on reading, from newer state. */
  readonly continueToken?: string;
  readonly next: string | undefined;

  constructor(message: string, { status, reason, details, retryAfterMs, continueToken, next }: ApiErrorFields) {
    super(next === undefined ? message : `${message}; ${next}`);
    this.status = status;
    this.reason = reason;
    if (details !== undefined) this.details = details;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
    if (continueToken !== undefined) this.continueToken = continueToken;
    this.next = next === undefined ? undefined : redact(next);
  }

  override get name(): string {
    return "ApiError";
  }

  get isNotFound(): boolean {
    return this.status === 404;
  }

  /** The object changed since it was read, or another field manager holds a field. Not `isAlreadyExists`, a 409 too. */
  get isConflict(): boolean {
    return this.status === 409 && !this.isAlreadyExists;
  }

  get isAlreadyExists(): boolean {
    return this.reason === "AlreadyExists";
  }

  /** The resource version or the continue token is no longer known: list again. */
  get isGone(): boolean {
    return this.status === 410;
  }

  get isUnauthorized(): boolean {
    return this.status === 401;
  }

  get isForbidden(): boolean {
    return this.status === 403;
  }

  get isInvalid(): boolean {
    return this.status === 422;
  }

  get isBadRequest(): boolean {
    return this.status === 400;
  }

  get isMethodNotAllowed(): boolean {
    return this.status === 405;
  }

  get isNotAcceptable(): boolean {
    return this.status === 406;
  }

  get isUnsupportedMediaType(): boolean {
    return this.status === 415;
  }

  get isTooManyRequests(): boolean {
    return this.status === 429;
  }

  /** The server's fault, or of something before it; another try may succeed. */
  get isServerFailure(): boolean {
    return this.status >= 500;
  }

  /** Whether one of `details.causes` has this reason, like `FieldManagerConflict` or `ResourceVersionTooLarge`. */
  hasCause(reason: string): boolean {
    return this.details?.causes?.some((cause) => cause.reason === reason) ?? false;
  }
}
