import { ApiError } from "./api-error.ts";
import { backoffMs } from "./backoff.ts";
import { ConnectionError } from "./connection-error.ts";
import type { KubeRequest } from "./request.ts";

/** The limits of the retries of one call. */
export interface RetryLimits {
  /** How often the server may answer with Retry-After. */
  readonly throttles: number;
  /** How long all waits that the server requested may take together. */
  readonly throttledMs: number;
  /** How often a request that is safe to send again is sent again. */
  readonly failures: number;
}

export const defaultRetryLimits: RetryLimits = { throttles: 10, throttledMs: 60_000, failures: 2 };

/** Decides about the retries of one call, and counts them. */
export interface RetryPolicy {
  /** How long to wait before the next attempt; undefined if there is none. */
  waitAfter(error: unknown): number | undefined;
}

const backoff = { shortestMs: 50, longestMs: 1000 };

export function retryPolicy(request: KubeRequest, limits: RetryLimits, random: () => number): RetryPolicy {
  const isIdempotent = request.isIdempotent ?? request.method === "GET";
  let throttles = 0;
  let throttledMs = 0;
  let failures = 0;

  function afterThrottle(waitMs: number): number | undefined {
    throttles += 1;
    throttledMs += waitMs;
    return throttles <= limits.throttles && throttledMs <= limits.throttledMs ? waitMs : undefined;
  }

  return {
    waitAfter(error) {
      const requested = requestedWait(error);
      if (requested !== undefined) return afterThrottle(requested + random() * Math.min(requested / 10, 1000));
      if (!(neverActedOn(error) || (isIdempotent && mayPass(error)))) return undefined;
      failures += 1;
      return failures <= limits.failures ? backoffMs(failures, backoff, random) : undefined;
    },
  };
}

/** A request answered with Retry-After was not processed, so it is safe to send again, whatever the method. */
function requestedWait(error: unknown): number | undefined {
  const isThrottled = error instanceof ApiError && (error.status === 429 || error.status === 503);
  return isThrottled ? error.retryAfterMs : undefined;
}

function neverActedOn(error: unknown): boolean {
  return error instanceof ConnectionError && !error.wasSent && isPassing(error);
}

function mayPass(error: unknown): boolean {
  if (error instanceof ApiError) return [500, 502, 503, 504].includes(error.status) && !isRejected(error);
  return error instanceof ConnectionError && isPassing(error);
}

/** Server-side apply answers an unknown field with 500; a retry does not help. */
function isRejected({ said }: ApiError): boolean {
  return said.includes("failed to create typed patch object");
}

function isPassing({ failure }: ConnectionError): boolean {
  return failure === "broken" || failure === "refused";
}
