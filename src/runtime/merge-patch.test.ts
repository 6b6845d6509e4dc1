import { describe, expect, it } from "vitest";
import { fc } from "#seeded";
import { mergePatch } from "./merge-patch.ts";

interface Row {
  readonly reason: string;
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
  readonly patch: unknown;
}

describe("mergePatch", () => {
  it.each<Row>([
    { reason: "equal", before: { a: 1, b: [{ c: 1, d: 2 }] }, after: { a: 1, b: [{ c: 1, d: 2 }] }, patch: undefined },
    {
      reason: "equal but for the order of keys, in lists too",
      before: { a: 1, b: [{ c: 1, d: { e: 1, f: 2 } }] },
      after: { b: [{ d: { f: 2, e: 1 }, c: 1 }], a: 1 },
      patch: undefined,
    },
    { reason: "an undefined field is none", before: { a: 1 }, after: { a: 1, b: undefined }, patch: undefined },
    { reason: "a field that goes is null", before: { a: 1, b: 2 }, after: { a: 1 }, patch: { b: null } },
    {
      reason: "only what differs, at any depth",
      before: { a: { b: 1, c: 2 } },
      after: { a: { b: 1, c: 3 } },
      patch: { a: { c: 3 } },
    },
    { reason: "lists are replaced whole", before: { a: [1, 2] }, after: { a: [1, 3] }, patch: { a: [1, 3] } },
    { reason: "the order of a list counts", before: { a: [1, 2] }, after: { a: [2, 1] }, patch: { a: [2, 1] } },
    { reason: "a field that only looks inherited", before: {}, after: { toString: "x" }, patch: { toString: "x" } },
    { reason: "another type", before: { a: [] }, after: { a: {} }, patch: { a: {} } },
    {
      reason: "zero and empty are values",
      before: { a: 1, b: "x", c: true },
      after: { a: 0, b: "", c: false },
      patch: { a: 0, b: "", c: false },
    },
  ])("$reason", ({ before, after, patch }) => {
    expect(mergePatch(before, after)).toEqual(patch);
  });

  it("makes the one of the other when applied by the rules of RFC 7386", () => {
    const value = fc.letrec((tie) => ({
      leaf: fc.oneof(fc.integer({ min: 0, max: 2 }), fc.boolean(), fc.constantFrom("x", "y")),
      list: fc.array(tie("leaf"), { maxLength: 2 }),
      object: fc.dictionary(fc.constantFrom("a", "b", "c"), fc.oneof(tie("leaf"), tie("list"), tie("object"))),
    })).object;
    fc.assert(
      fc.property(value, value, (before, after) => {
        const patch = mergePatch(before, after);
        expect(apply(before, patch ?? {})).toEqual(after);
        expect(mergePatch(after, apply(before, patch ?? {}))).toBeUndefined();
      }),
    );
  });
});

/** The pseudo-code of https://www.rfc-editor.org/rfc/rfc7386#section-2 */
function apply(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const isObject = typeof target === "object" && target !== null && !Array.isArray(target);
  const result = new Map<string, unknown>(isObject ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, apply(result.get(key), value));
  }
  return Object.fromEntries(result);
}
