import { describe, expect, test } from "vitest";
import type { JsonValue } from "#base";
import { fragmentOf, isReference } from "./reference.ts";

describe("A-8: a reference is an object whose only key is $ref", () => {
  test.each<{ value: JsonValue; expected: boolean; reason: string }>([
    { value: { $ref: "/a.yml" }, expected: true, reason: "a reference" },
    { value: { $ref: "/a.yml", name: "a" }, expected: false, reason: "a second key makes it plain data" },
    { value: { name: "a", $ref: "/a.yml" }, expected: false, reason: "in any order" },
    { value: { $ref: 1 }, expected: false, reason: "the path must be a string" },
    { value: { $ref: null }, expected: false, reason: "null is not a path" },
    { value: {}, expected: false, reason: "an empty object" },
    { value: ["$ref"], expected: false, reason: "a list" },
    { value: "/a.yml", expected: false, reason: "a plain string" },
    { value: null, expected: false, reason: "null" },
  ])("$value: $reason", ({ value, expected }) => {
    expect(isReference(value)).toBe(expected);
  });
});

test.each([
  { ref: "/a.yml#/x", fragment: "#/x" },
  { ref: "/a.yml$/x", fragment: "$/x" },
  { ref: "/a.yml$/x#y", fragment: "$/x#y" },
  { ref: "/a.yml", fragment: undefined },
])("A-9: a reference's fragment is what follows the # in $ref: $fragment", ({ ref, fragment }) => {
  expect(fragmentOf({ $ref: ref })).toBe(fragment);
});
