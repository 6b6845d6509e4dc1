import { expect, test } from "vitest";
import { startPair } from "./http-pair.ts";
import { expired, internalError, isWatch, overloaded, tooManyRequests } from "./kubernetes-answers.ts";

test.each([
  { answer: expired(), reason: "Expired", code: 410, retryAfter: null },
  { answer: tooManyRequests(3), reason: "TooManyRequests", code: 429, retryAfter: "3" },
  { answer: internalError(), reason: "InternalError", code: 500, retryAfter: null },
])("$code looks like the API server's", async ({ answer, reason, code, retryAfter }) => {
  await using pair = await startPair((_request, response) => response.end());
  pair.proxy.answer(answer);
  const given = await fetch(pair.proxy.url);
  expect([given.status, given.headers.get("retry-after")]).toEqual([code, retryAfter]);
  expect(await given.json()).toMatchObject({ kind: "Status", apiVersion: "v1", status: "Failure", reason, code });
});

test("429 of an overloaded API server is plain text", async () => {
  await using pair = await startPair((_request, response) => response.end());
  pair.proxy.answer(overloaded(1));
  const given = await fetch(pair.proxy.url);
  expect([given.status, given.headers.get("retry-after")]).toEqual([429, "1"]);
  expect(given.headers.get("content-type")).toMatch("text/plain");
});

test.each([
  { method: "GET", path: "/api/v1/pods?watch=true&resourceVersion=1", expected: true },
  { method: "GET", path: "/api/v1/pods?limit=500&watch=1", expected: true },
  { method: "GET", path: "/api/v1/pods?watch=false", expected: false },
  { method: "GET", path: "/api/v1/namespaces/watch/pods", expected: false },
  { method: "DELETE", path: "/api/v1/pods?watch=true", expected: false },
])("$method $path is a watch: $expected", ({ method, path, expected }) => {
  expect(isWatch({ method, path, headers: {} })).toBe(expected);
});
