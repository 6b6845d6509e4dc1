import { describe, expect, test } from "vitest";
import { ApiError } from "./api-error.ts";
import { ConnectionError, type ConnectionFailure } from "./connection-error.ts";
import type { KubeRequest } from "./request.ts";
import { defaultRetryLimits, retryPolicy } from "./retry-policy.ts";

const get: KubeRequest = { method: "GET", path: "/" };
const post: KubeRequest = { method: "POST", path: "/" };
const apply: KubeRequest = { method: "PATCH", path: "/", isIdempotent: true };

function api(status: number, retryAfterMs?: number): ApiError {
  return new ApiError("m", { status, reason: "r", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
}

function broken(failure: ConnectionFailure, wasSent: boolean): ConnectionError {
  return new ConnectionError("m", { failure, wasSent });
}

/** The waits until it gives up on the same error again and again. */
function waitsFor(request: KubeRequest, error: unknown): number[] {
  const policy = retryPolicy(request, defaultRetryLimits, () => 0.5);
  const waits: number[] = [];
  for (let wait = policy.waitAfter(error); wait !== undefined; wait = policy.waitAfter(error)) waits.push(wait);
  return waits;
}

const rows = [
  { reason: "a GET whose connection broke", request: get, error: broken("broken", true), tries: 2 },
  { reason: "a POST whose connection broke", request: post, error: broken("broken", true), tries: 0 },
  { reason: "a POST that was never sent", request: post, error: broken("broken", false), tries: 2 },
  { reason: "a POST to a server that restarts", request: post, error: broken("refused", false), tries: 2 },
  { reason: "an apply whose connection broke", request: apply, error: broken("broken", true), tries: 2 },
  { reason: "a GET that ran out of time", request: get, error: broken("timeout", true), tries: 0 },
  { reason: "a GET to a server that is not trusted", request: get, error: broken("untrusted", false), tries: 0 },
  { reason: "a GET to a name that is unknown", request: get, error: broken("unknown-host", false), tries: 0 },
  { reason: "a GET without credentials", request: get, error: broken("credentials", false), tries: 0 },
  { reason: "a GET that was answered 500", request: get, error: api(500), tries: 2 },
  { reason: "an apply that was answered 500", request: apply, error: api(500), tries: 2 },
  {
    reason: "an apply of a field that the kind does not have",
    request: apply,
    error: new ApiError("failed to create typed patch object (a/b; v1, Kind=ConfigMap)", { status: 500, reason: "r" }),
    tries: 0,
  },
  { reason: "an apply that was answered 504", request: apply, error: api(504), tries: 2 },
  { reason: "a POST that was answered 500", request: post, error: api(500), tries: 0 },
  { reason: "a POST that was answered 503", request: post, error: api(503), tries: 0 },
  { reason: "a POST that was answered 503 with a time", request: post, error: api(503, 1000), tries: 10 },
  { reason: "a POST that was answered 429 with a time", request: post, error: api(429, 1000), tries: 10 },
  { reason: "a GET that was answered 429 without a time", request: get, error: api(429), tries: 0 },
  { reason: "a GET whose Retry-After is a day", request: get, error: api(429, 86_400_000), tries: 0 },
  { reason: "a GET whose Retry-After is 19 s, three times", request: get, error: api(429, 19_000), tries: 3 },
  { reason: "a GET that was answered 404", request: get, error: api(404), tries: 0 },
  { reason: "a GET that was answered 500 with a time", request: get, error: api(500, 1000), tries: 2 },
  { reason: "a GET that the caller gave up", request: get, error: new Error("aborted"), tries: 0 },
];

describe("retryPolicy retries", () => {
  test.each(rows)("$reason, $tries times", ({ request, error, tries }) => {
    expect(waitsFor(request, error)).toHaveLength(tries);
  });
});

test("waits for Retry-After plus some jitter", () => {
  expect(waitsFor(get, api(429, 2000)).slice(0, 2)).toEqual([2100, 2100]);
});

test("waits longer after the second failure, within the bounds", () => {
  const [first = 0, second = 0] = waitsFor(get, api(500));
  expect(first).toBeGreaterThanOrEqual(50);
  expect(second).toBeGreaterThan(first);
  expect(second).toBeLessThanOrEqual(1000);
});
