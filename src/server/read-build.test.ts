import { assert, constantFrom, dictionary, json, jsonValue, oneof, property, string, uint8Array } from "fast-check";
import { expect, test } from "vitest";
import { readBuild } from "./read-build.ts";

const image = `quay.io/acme/web@sha256:${"1".repeat(64)}`;
const read = (value: unknown) => readBuild(Buffer.from(JSON.stringify(value)));

test("a build names a component and an image, and may name a commit", () => {
  expect(read({ component: "web", image })).toEqual({ kind: "build", build: { component: "web", image } });
  expect(read({ component: "web", image, commit: "c0ffee" })).toMatchObject({ build: { commit: "c0ffee" } });
});

test.each([
  { reason: "no JSON", body: "{", problem: "expected JSON" },
  { reason: "a list", body: "[]", problem: "expected object" },
  { reason: "no image", body: '{"component":"web"}', problem: "image" },
  {
    reason: "a component that leads elsewhere",
    body: JSON.stringify({ component: "../x", image }),
    problem: "component",
  },
  {
    reason: "a commit with a line break",
    body: JSON.stringify({ component: "a", image, commit: "a\nb" }),
    problem: "commit",
  },
  { reason: "a key that is not known", body: JSON.stringify({ component: "a", image, tag: "x" }), problem: "tag" },
])("a body with $reason is refused, with the reason", ({ body, problem }) => {
  const refused = readBuild(Buffer.from(body));
  expect(refused).toMatchObject({ kind: "refused", problem: expect.stringContaining(problem) });
});

test("any bytes and any JSON are read or refused, and what is read can be a name", () => {
  const keys = constantFrom("component", "image", "commit", "__proto__", "x");
  const bodies = oneof(
    uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    json().map((text) => Buffer.from(text)),
    dictionary(keys, oneof(string(), jsonValue())).map((value) => Buffer.from(JSON.stringify(value))),
  );
  assert(
    property(bodies, (body) => {
      const result = readBuild(body);
      return result.kind === "refused" ? result.problem !== "" : /^[a-z0-9-]{1,63}$/.test(result.build.component);
    }),
    { numRuns: 2_000 },
  );
});
