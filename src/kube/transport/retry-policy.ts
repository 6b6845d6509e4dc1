import { ApiError } from "./api-error.ts";
import { backoffMs } from "./backoff.ts";
import { ConnectionError } from "./connection-error.ts";
import type { KubeRequest } from "./request.ts";

/** How a call is tried again. */
export interface RetryLimits {
  /** How often the server may ask to come back later. */
  readonly throttles: number;
  /** How long all waits that the server asked for may take together. */
  readonly throttledMs: number;
  /** How often a request that is safe to send again is sent again. */
  readonly failures: number;
}

export const defaultRetryLimits: RetryLimits = { throttles: 10, throttledMs: 60_000, failures: 2 };

/** Decides for one call; remembers what it has already granted. */
export interface RetryPolicy {
  /** How long to wait before the next try; undefined: there is none. */
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
      const asked = askedToWait(error);
      if (asked !== undefined) return afterThrottle(asked + random() * Math.min(asked / 10, 1000));
      if (!(neverActedOn(error) || (isIdempotent && mayPass(error)))) return undefined;
      failures += 1;
      return failures <= limits.failures ? backoffMs(failures, backoff, random) : undefined;
    },
  };
}

/** Who is asked to come back later was turned away at the door, whatever the method. */
function askedToWait(error: unknown): number | undefined {
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

/** Server-side apply answers a field that the kind does not have with 500. */
function isRejected({ said }: ApiError): boolean {
  return said.includes("failed to create typed patch object");
}

function isPassing({ failure }: ConnectionError): boolean {
  return failure === "broken" || failure === "refused";
}
