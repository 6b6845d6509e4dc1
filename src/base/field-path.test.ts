import { describe, expect, it } from "vitest";
import { fc } from "#seeded";
import { InputError } from "./errors.ts";
import { type FieldPath, formatFieldPath, parseFieldPath, valueAt } from "./field-path.ts";

const paths: { reason: string; path: FieldPath; text: string }[] = [
  { reason: "the object itself", path: [], text: "" },
  { reason: "keys", path: ["spec", "replicas"], text: "spec.replicas" },
  { reason: "list places", path: ["spec", "containers", 0, "image"], text: "spec.containers[0].image" },
  { reason: "a list at the root", path: [12, 0, "a"], text: "[12][0].a" },
  { reason: "a key with dots", path: ["metadata", "annotations", "a.b/c"], text: 'metadata.annotations["a.b/c"]' },
  { reason: "a quoted key at the root", path: ["a.b", "c"], text: '["a.b"].c' },
  { reason: "dashes and dollars", path: ["$ref", "my-app", "_a1"], text: "$ref.my-app._a1" },
  { reason: "a key of digits, which is not a list index", path: ["data", "0"], text: 'data["0"]' },
  { reason: "an empty key", path: ["", ""], text: '[""][""]' },
  { reason: "quotes and backslashes", path: ['a"]\\'], text: String.raw`["a\"]\\"]` },
];

/** Lone surrogates included. */
const anyString = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));
const trickyCharacters = ["a", "0", ".", "-", "[", "]", '"', "'", "\\", " ", "\ud800"];

describe("formatFieldPath and parseFieldPath", () => {
  it.each(paths)("write and read $reason", ({ path, text }) => {
    expect(formatFieldPath(path)).toBe(text);
    expect(parseFieldPath(text)).toEqual(path);
  });

  it("are inverse to each other", () => {
    const key = fc.oneof(anyString, fc.string({ unit: fc.constantFrom(...trickyCharacters) }));
    fc.assert(
      fc.property(fc.array(fc.oneof(key, fc.nat())), (path) => {
        expect(parseFieldPath(formatFieldPath(path))).toEqual(path);
      }),
    );
  });
});

describe("parseFieldPath", () => {
  it("reads a key in single quotes", () => {
    expect(parseFieldPath("metadata.labels['a.b/c'].d")).toEqual(["metadata", "labels", "a.b/c", "d"]);
  });

  it.each([
    { text: ".spec", column: 1, expected: "a field name" },
    { text: "spec.", column: 6, expected: "a field name" },
    { text: "spec..a", column: 6, expected: "a field name" },
    { text: "spec.a.0", column: 8, expected: "a field name" },
    { text: "spec.é", column: 6, expected: "a field name" },
    { text: "a b", column: 2, expected: "a dot or [" },
    { text: "a[0]b", column: 5, expected: "a dot or [" },
    { text: "a[", column: 3, expected: "a number or a quoted key, then ]" },
    { text: "a[-1]", column: 3, expected: "a number or a quoted key, then ]" },
    { text: "a[01]", column: 3, expected: "a number or a quoted key, then ]" },
    { text: "a[9007199254740993]", column: 3, expected: "a number or a quoted key, then ]" },
    { text: 'a["b]', column: 3, expected: "a number or a quoted key, then ]" },
    { text: String.raw`a["\x"]`, column: 3, expected: "a number or a quoted key, then ]" },
  ])("names column $column of $text", ({ text, column, expected }) => {
    expect(() => parseFieldPath(text)).toThrow(InputError);
    expect(() => parseFieldPath(text)).toThrow(
      `field path ${JSON.stringify(text)}, column ${column}: expected ${expected}; write it like `,
    );
  });

  it("reads or refuses any text", () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...trickyCharacters) }));
    fc.assert(
      fc.property(text, (anything) => {
        expect(readOrRefuse(anything)).toSatisfy((result) => Array.isArray(result) || result instanceof InputError);
      }),
    );
  });
});

function readOrRefuse(text: string): unknown {
  try {
    return parseFieldPath(text);
  } catch (error) {
    return error;
  }
}

describe("valueAt", () => {
  const object = { spec: { containers: [{ image: "i0" }], paused: false, none: null }, toString: "own" };

  it.each<{ reason: string; path: FieldPath; value: unknown }>([
    { reason: "the object itself", path: [], value: object },
    { reason: "a value", path: ["spec", "containers", 0, "image"], value: "i0" },
    { reason: "false", path: ["spec", "paused"], value: false },
    { reason: "null", path: ["spec", "none"], value: null },
    { reason: "nothing where a key is missing", path: ["spec", "missing", "deeper"], value: undefined },
    { reason: "nothing below null", path: ["spec", "none", "deeper"], value: undefined },
    { reason: "nothing past the end of a list", path: ["spec", "containers", 1], value: undefined },
    { reason: "nothing of a list but its items", path: ["spec", "containers", "length"], value: undefined },
    { reason: "nothing of a list by text", path: ["spec", "containers", "0"], value: undefined },
    { reason: "nothing of an object by place", path: ["spec", 0], value: undefined },
    { reason: "nothing of text", path: ["spec", "containers", 0, "image", "length"], value: undefined },
    { reason: "an own key with an inherited name", path: ["toString"], value: "own" },
  ])("gives $reason", ({ path, value }) => {
    expect(valueAt(object, path)).toBe(value);
  });

  it("gives nothing inherited", () => {
    const inherited = Object.getOwnPropertyNames(Object.prototype).concat("inherited");
    const child: unknown = Object.create({ inherited: 1 });
    for (const name of inherited) expect(valueAt(child, [name])).toBeUndefined();
    expect(valueAt({}, ["constructor", "constructor"])).toBeUndefined();
  });

  it("gives an own __proto__, as JSON can have it", () => {
    expect(valueAt(JSON.parse('{"__proto__":{"a":1}}'), ["__proto__", "a"])).toBe(1);
  });
});
