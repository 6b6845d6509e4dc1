import type { RequestView } from "./journal.ts";
import type { Answer } from "./rules.ts";

/** A Kubernetes `Status`, as the API server sends it for a failure. */
export interface FailureStatus {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: Readonly<Record<string, string>>;
  readonly status: "Failure";
  readonly message: string;
  readonly reason: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly code: number;
}

export function failureStatus(
  code: number,
  reason: string,
  message: string,
  details?: Readonly<Record<string, unknown>>,
): FailureStatus {
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code } as const;
  return details ? { ...status, details } : status;
}

/** An answer with this Status; like the API server's, it has Retry-After when the Status has `retryAfterSeconds`. */
export function failure(status: FailureStatus): Answer {
  const retryAfter = status.details?.["retryAfterSeconds"];
  return {
    status: status.code,
    headers: {
      "content-type": "application/json",
      ...(typeof retryAfter === "number" ? { "retry-after": String(retryAfter) } : {}),
    },
    body: `${JSON.stringify(status)}\n`,
  };
}

const expiredStatus = failureStatus(410, "Expired", "too old resource version: 1 (2)");

/** 410: the resource version of a watch, or the continue token of a list, is no longer known. */
export function expired(): Answer {
  return failure(expiredStatus);
}

/** 429 as a Status, with Retry-After. */
export function tooManyRequests(retryAfterSeconds: number): Answer {
  const message = "the server has received too many requests and has asked us to try again later";
  return failure(failureStatus(429, "TooManyRequests", message, { retryAfterSeconds }));
}

/** 429 as priority and fairness sends it: Retry-After, but a line of plain text where a client may expect a Status. */
export function overloaded(retryAfterSeconds: number): Answer {
  return {
    status: 429,
    headers: { "content-type": "text/plain; charset=utf-8", "retry-after": String(retryAfterSeconds) },
    body: "Too many requests, please try again later.\n",
  };
}

/** 500 as a Status. */
export function internalError(message = "etcdserver: request timed out"): Answer {
  const details = { causes: [{ message }] };
  return failure(failureStatus(500, "InternalError", `Internal error occurred: ${message}`, details));
}

/** The line of a watch that reports a failure: the stream had already started with status 200. */
export function watchError(status: FailureStatus = expiredStatus): string {
  return JSON.stringify({ type: "ERROR", object: status });
}

/** Whether a request is a watch. */
export function isWatch({ method, path }: RequestView): boolean {
  const watch = new URL(path, "http://localhost").searchParams.get("watch");
  return method === "GET" && (watch === "true" || watch === "1");
}
