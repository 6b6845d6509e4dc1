import { describe, expect, test } from "vitest";
import type { JsonValue } from "#base";
import { fragmentOf, isReference } from "./reference.ts";

describe("A-8: a reference is an object whose only key is $ref", () => {
  test.each<{ value: JsonValue; expected: boolean; reason: string }>([
    { value: { $ref: "/a.yml" }, expected: true, reason: "that is one" },
    { value: { $ref: "/a.yml", name: "a" }, expected: false, reason: "a second key makes it plain data" },
    { value: { name: "a", $ref: "/a.yml" }, expected: false, reason: "wherever that key stands" },
    { value: { $ref: 1 }, expected: false, reason: "a path is text" },
    { value: { $ref: null }, expected: false, reason: "null is no path" },
    { value: {}, expected: false, reason: "an empty object refers to nothing" },
    { value: ["$ref"], expected: false, reason: "a list is no object" },
    { value: "/a.yml", expected: false, reason: "the path alone is a text" },
    { value: null, expected: false, reason: "null is nothing" },
  ])("$value: $reason", ({ value, expected }) => {
    expect(isReference(value)).toBe(expected);
  });
});

test.each([
  { ref: "/a.yml#/x", fragment: "#/x" },
  { ref: "/a.yml$/x", fragment: "$/x" },
  { ref: "/a.yml$/x#y", fragment: "$/x#y" },
  { ref: "/a.yml", fragment: undefined },
])("A-9: $ref asks for the part $fragment", ({ ref, fragment }) => {
  expect(fragmentOf({ $ref: ref })).toBe(fragment);
});
