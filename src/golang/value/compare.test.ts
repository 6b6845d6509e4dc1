import { expect, test } from "vitest";
import { deepEqual, equals, equalsAny, isLess } from "./compare.ts";
import { integersOf } from "./integers-of.ts";
import { Complex, GoMap, Int, int, Named, Slice, Struct, TypedNil } from "./typed-values.ts";

const uint = (value: bigint): Int => new Int("uint64", value);
const pointer = new Struct("*a.b", { fields: { A: int(1) } });
const struct = new Struct("a.b", { fields: { A: int(1) } });

test.each([
  { reason: "integers of any kind", left: int(3), right: uint(3n), expected: true },
  {
    reason: "a negative integer does not equal an unsigned one",
    left: int(-1),
    right: uint(2n ** 64n - 1n),
    expected: false,
  },
  { reason: "a named string", left: new Named("json.Number", "1"), right: "1", expected: true },
  { reason: "nil and nothing", left: null, right: undefined, expected: true },
  { reason: "nil and a value", left: null, right: "", expected: false },
  { reason: "a nil map and nil", left: new TypedNil("map[string]interface {}"), right: null, expected: true },
  { reason: "a map and nil", left: {}, right: null, expected: false },
  { reason: "complex numbers", left: new Complex(1, 2), right: new Complex(1, 2), expected: true },
  { reason: "structs by their fields", left: struct, right: new Struct("a.b", struct.details), expected: true },
  { reason: "pointers by what they are", left: pointer, right: new Struct("*a.b", pointer.details), expected: false },
])("eq of $reason", ({ left, right, expected }) => {
  expect(equals(left, right)).toBe(expected);
});

test.each([
  { left: int(1), right: 1, problem: "incompatible types for comparison: int and float64" },
  { left: [], right: [], problem: "non-comparable type []: []interface {}" },
  { left: {}, right: [1], problem: "non-comparable types map[]: map[string]interface {}, []interface {}: [1]" },
])("eq refuses what Go refuses: $problem", ({ left, right, problem }) => {
  expect(() => equals(left, right)).toThrow(problem);
});

test("eq needs something to compare with", () => {
  expect(() => equalsAny(1, [])).toThrow("missing argument for comparison");
});

test("lt compares numbers of one kind, and strings by their bytes", () => {
  expect([isLess(int(-1), uint(0n)), isLess("\uffee", "😀"), isLess(1, 2)]).toEqual([true, true, true]);
  expect(() => isLess(true, false)).toThrow("invalid type for comparison");
  expect(() => isLess(null, 1)).toThrow("invalid type for comparison");
});

test.each([
  { reason: "contents at any depth", left: { a: [1, { b: "c" }] }, right: { a: [1, { b: "c" }] }, expected: true },
  { reason: "kinds count", left: [int(1)], right: [new Int("int64", 1n)], expected: false },
  { reason: "a nil slice is not an empty one", left: new TypedNil("[]interface {}"), right: [], expected: false },
  { reason: "types count", left: new Slice("string", ["a"]), right: ["a"], expected: false },
  { reason: "a key more", left: { a: 1 }, right: { a: 1, b: null }, expected: false },
  { reason: "another key with nil", left: { a: null }, right: { b: null }, expected: false },
  {
    reason: "pointers by what they point to",
    left: pointer,
    right: new Struct("*a.b", struct.details),
    expected: true,
  },
  { reason: "NaN", left: Number.NaN, right: Number.NaN, expected: false },
  {
    reason: "maps of strings",
    left: new GoMap("string", "string", new Map([["a", "b"]])),
    right: new GoMap("string", "string", new Map([["a", "b"]])),
    expected: true,
  },
])("deepEqual: $reason", ({ left, right, expected }) => {
  expect(deepEqual(left, right)).toBe(expected);
  expect(deepEqual(right, left)).toBe(expected);
});

test("integersOf makes int64 of whole numbers only, at any depth, whatever the keys are called", () => {
  const data = integersOf(JSON.parse('{"a": [1, 2.5, 1e300, "3", null], "__proto__": {"n": -7}}'));
  expect(deepEqual(data, integersOf({ a: [1, 2.5, 1e300, "3", null], ["__proto__"]: { n: -7 } }))).toBe(true);
  expect(data).toMatchObject({ a: [new Int("int64", 1n), 2.5, 1e300, "3", null] });
});
