import { describe, expect, test } from "vitest";
import { fc } from "#seeded";
import { type FieldSet, isEmptySet, subtractFields, uniteFields } from "./field-set.ts";

describe("fields of managers", () => {
  test.each([
    { reason: "a field that both have", one: { "f:a": {} }, other: { "f:a": {} }, left: {} },
    { reason: "a field that only one has", one: { "f:a": {}, "f:b": {} }, other: { "f:a": {} }, left: { "f:b": {} } },
    {
      reason: "a map that the other has fields in, without having it itself",
      one: { "f:labels": { ".": {}, "f:app": {} } },
      other: { "f:labels": { "f:app": {} } },
      left: { "f:labels": { ".": {} } },
    },
    {
      reason: "an item of a list with fields of both",
      one: { "f:list": { 'k:{"name":"a"}': { ".": {}, "f:image": {}, "f:tty": {} } } },
      other: { "f:list": { 'k:{"name":"a"}': { ".": {}, "f:image": {} } } },
      left: { "f:list": { 'k:{"name":"a"}': { "f:tty": {} } } },
    },
    {
      reason: "a field below one that the other has as a whole",
      one: { "f:a": { "f:b": {} } },
      other: { "f:a": {} },
      left: { "f:a": { "f:b": {} } },
    },
  ])("$reason", ({ one, other, left }) => {
    expect(subtractFields(one, other)).toEqual(left);
  });

  test("a field that is one itself and has others below is both when united", () => {
    expect(uniteFields({ "f:a": {} }, { "f:a": { "f:b": {} } })).toEqual({ "f:a": { ".": {}, "f:b": {} } });
  });
});

const path = fc.array(fc.constantFrom("f:a", "f:b", "f:c"), { minLength: 1, maxLength: 4 });
const fieldSet = fc.array(path, { minLength: 1, maxLength: 8 }).map(setOf);

function setOf(paths: readonly (readonly string[])[]): FieldSet {
  const nodes = [...Map.groupBy(paths, ([first = ""]) => first)].map(([first, all]) => {
    const below = all.map(([, ...rest]) => rest).filter((rest) => rest.length > 0);
    const self = below.length > 0 && below.length < all.length ? { ".": {} } : {};
    return [first, Object.assign(self, setOf(below))];
  });
  return Object.fromEntries(nodes);
}

/** The fields as paths, which is what a set of them means. */
function pathsOf(fields: FieldSet, prefix = ""): string[] {
  return Object.entries(fields).flatMap(([key, below]) => {
    const here = key === "." ? prefix : `${prefix}/${key}`;
    const children = { ...(typeof below === "object" ? below : {}) };
    return key === "." || isEmptySet(children) ? [here] : pathsOf(children, here);
  });
}

test("law: uniting and subtracting are those of sets of paths", () => {
  fc.assert(
    fc.property(fieldSet, fieldSet, (one, other) => {
      const [left, right] = [pathsOf(one), pathsOf(other)];
      expect(pathsOf(uniteFields(one, other)).toSorted()).toEqual([...new Set([...left, ...right])].toSorted());
      const rest = left.filter((each) => !right.includes(each));
      expect(pathsOf(subtractFields(one, other)).toSorted()).toEqual([...new Set(rest)].toSorted());
    }),
  );
});
