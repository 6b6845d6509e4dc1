import { describe, expect, test } from "vitest";
import { Secret } from "#base";
import { apiErrorFromStatus, type FailedAnswer, readApiError } from "./read-status.ts";
import type { KubeRequest } from "./request.ts";

const request: KubeRequest = { method: "GET", path: "/api/v1/namespaces/x/configmaps/y" };

function status(fields: Record<string, unknown>): string {
  return JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", ...fields });
}

test("a Status gives message, reason, details and what to wait for", () => {
  const details = {
    name: "y",
    group: "apps",
    kind: "deployments",
    uid: "u",
    causes: [{ reason: "FieldValueInvalid", message: "must be so", field: "spec.replicas" }],
    retryAfterSeconds: 3,
  };
  const body = status({ code: 422, reason: "Invalid", message: "y is invalid", details });
  const error = readApiError({ status: 422, body }, request, "dev");
  expect(error.message).toBe("GET /api/v1/namespaces/x/configmaps/y on dev: y is invalid (422 Invalid)");
  expect(error).toMatchObject({ status: 422, reason: "Invalid", details, retryAfterMs: 3000, isInvalid: true });
  expect([error.hasCause("FieldValueInvalid"), error.hasCause("FieldValueRequired")]).toEqual([true, false]);
});

const kinds = [
  { reason: "NotFound", code: 404, is: { isNotFound: true, isGone: false } },
  { reason: "Conflict", code: 409, is: { isConflict: true, isAlreadyExists: false } },
  { reason: "AlreadyExists", code: 409, is: { isConflict: false, isAlreadyExists: true } },
  { reason: "Expired", code: 410, is: { isGone: true } },
  { reason: "Gone", code: 410, is: { isGone: true } },
  { reason: "Unauthorized", code: 401, is: { isUnauthorized: true } },
  { reason: "TooManyRequests", code: 429, is: { isTooManyRequests: true, isServerFailure: false } },
  { reason: "ServiceUnavailable", code: 503, is: { isServerFailure: true } },
];

test.each(kinds)("$code $reason is recognised", ({ reason, code, is }) => {
  expect(readApiError({ status: code, body: status({ code, reason, message: "m" }) }, request, "dev")).toMatchObject(
    is,
  );
});

const foreign: { reason: string; answer: FailedAnswer; says: string }[] = [
  {
    reason: "plain text, as priority and fairness sends it",
    answer: {
      status: 429,
      headers: { "content-type": "text/plain" },
      body: "Too many requests, please try again later.\n",
    },
    says: "Too many requests, please try again later. (429 TooManyRequests)",
  },
  {
    reason: "a page of a proxy",
    answer: {
      status: 502,
      headers: { "content-type": "text/html" },
      body: "<html><style>a{}</style><h1>502 Bad Gateway</h1>\n<hr>nginx</html>",
    },
    says: "this is not the API server's answer but a web page: 502 Bad Gateway nginx (502 BadGateway)",
  },
  { reason: "nothing", answer: { status: 504, body: "" }, says: "the answer has no text (504 Timeout)" },
  {
    reason: "JSON that ends early",
    answer: { status: 500, body: '{"kind":"Sta' },
    says: '{"kind":"Sta (500 InternalError)',
  },
  { reason: "JSON of something else", answer: { status: 418, body: "null" }, says: "null (418 Unknown)" },
  {
    reason: "much of it",
    answer: { status: 500, body: "x".repeat(5000) },
    says: `${"x".repeat(200)}... (500 InternalError)`,
  },
  {
    reason: "too much to read",
    answer: { status: 500, body: "x".repeat(70_000) },
    says: "an answer of 70000 characters, too many to show (500 InternalError)",
  },
  {
    reason: "a page that is too much to read",
    answer: { status: 502, headers: { "content-type": "text/html" }, body: "<".repeat(70_000) },
    says: "this is not the API server's answer but a web page of 70000 characters, too many to show (502 BadGateway)",
  },
  {
    reason: "control characters",
    answer: { status: 500, body: "a\u001b[31m\u0000b" },
    says: "a [31m b (500 InternalError)",
  },
];

describe("an answer that is not a Status is quoted:", () => {
  test.each(foreign)("$reason", ({ answer, says }) => {
    expect(readApiError(answer, request, "dev").message).toBe(`GET ${request.path} on dev: ${says}`);
  });
});

test("a redirect is not followed, and says what to change", () => {
  expect(readApiError({ status: 302, body: "" }, request, "dev").next).toMatch(/set `server`/);
});

test("a known secret in an answer is masked", () => {
  const secret = new Secret("the-token-of-a-user");
  const error = readApiError({ status: 400, body: `cannot parse "${secret.reveal()}"` }, request, "dev");
  expect(error.message).toContain('cannot parse "***"');
});

test.each([
  { reason: "longer than what is quoted", length: 5_000 },
  { reason: "longer than what is read", length: 100_000 },
])("nothing of a known secret is shown that is $reason", ({ length }) => {
  const secret = new Secret("s3cr3t".repeat(length / 5));
  const message = `cannot parse "${secret.reveal()}"`;
  for (const body of [message, status({ code: 400, message })]) {
    const error = readApiError({ status: 400, body }, request, "dev");
    expect(error.message).not.toContain("s3cr3t");
    expect(error.message.length).toBeLessThan(200);
  }
});

test("a message too long to show leaves the rest of a Status as it is", () => {
  const body = status({ code: 422, reason: "Invalid", message: "x".repeat(70_000), details: { name: "y" } });
  const error = readApiError({ status: 422, body }, request, "dev");
  expect(error.message).toBe(
    `GET ${request.path} on dev: a message of 70000 characters, too many to show (422 Invalid)`,
  );
  expect(error).toMatchObject({ isInvalid: true, details: { name: "y" } });
});

const waits: { reason: string; header?: string; seconds?: number; ms: number | undefined }[] = [
  { reason: "the header", header: "2", ms: 2000 },
  { reason: "the header before the Status", header: "2", seconds: 5, ms: 2000 },
  { reason: "the Status alone", seconds: 5, ms: 5000 },
  { reason: "no date", header: "Wed, 21 Oct 2026 07:28:00 GMT", ms: undefined },
  { reason: "nothing negative", header: "-1", ms: undefined },
  { reason: "no zero of a Status", seconds: 0, ms: undefined },
];

test.each(waits)("Retry-After: $reason counts", ({ header, seconds, ms }) => {
  const details = seconds === undefined ? {} : { details: { retryAfterSeconds: seconds } };
  const headers = header === undefined ? {} : { "retry-after": header };
  const answer = { status: 429, headers, body: status({ code: 429, message: "m", ...details }) };
  expect(readApiError(answer, request, "dev").retryAfterMs).toBe(ms);
});

test("the error of an expired list has its continue token", () => {
  const body = status({ code: 410, reason: "Expired", message: "m", metadata: { continue: "token" } });
  expect(readApiError({ status: 410, body }, request, "dev").continueToken).toBe("token");
});

test("a Status of a watch event is an error like any other, even a broken one", () => {
  const gone = { kind: "Status", code: 410, reason: "Expired", message: "too old resource version" };
  expect(apiErrorFromStatus(gone, request, "dev")).toMatchObject({ isGone: true, reason: "Expired" });
  expect(apiErrorFromStatus("?", request, "dev")).toMatchObject({ status: 500, reason: "InternalError" });
});
