import { expect, test } from "vitest";
import { fc } from "#seeded";
import { canonicalJsonBytes, canonicalJson } from "./canonical-json.ts";
import type { Exact } from "./exact.ts";

const words = fc.oneof(fc.string({ unit: "binary", maxLength: 200 }), fc.constant("plain ".repeat(20)));
const values: fc.Arbitrary<Exact> = fc.letrec<{ value: Exact }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(words, fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(words, tie("value"), { maxKeys: 5 }),
  ),
})).value;

test("D-12: canonical JSON is the same value in ASCII, whatever the order of the keys", () => {
  fc.assert(
    fc.property(values, (value) => {
      const text = canonicalJson(value);
      expect(text).toMatch(/^[ -~]*$/);
      expect(JSON.parse(text)).toEqual(value);
      expect(canonicalJson(reversed(value))).toBe(text);
    }),
  );
});

test("D-12, D-13: canonical JSON has the key order and separators of Python", () => {
  expect(canonicalJson({ b: [1, "x"], a: {}, "\u{1f600}": null, "\uffee": [] })).toBe(
    String.raw`{"a": {}, "b": [1, "x"], "\uffee": [], "\ud83d\ude00": null}`,
  );
});

test.each([
  { reason: "one long text", value: "x".repeat(3 * 2 ** 20) },
  { reason: "a long text that is escaped", value: "\u2603".repeat(2 ** 19) },
  { reason: "many short ones", value: Array.from({ length: 200_000 }, (_, index) => `item ${index}`) },
])("writes what is larger than objects of Kubernetes are: $reason", ({ value }) => {
  expect(JSON.parse(canonicalJson({ value }))).toEqual({ value });
  expect(canonicalJsonBytes({ a: 1 }).toString()).toBe('{"a": 1}');
});

function reversed(value: Exact): Exact {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const entries: [string, Exact][] = Object.entries(value);
  return Object.fromEntries(entries.toReversed().map(([key, field]) => [key, reversed(field)]));
}
