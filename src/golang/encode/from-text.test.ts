import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonValue } from "#base";
import { fc, seed } from "#seeded";
import { TypedNil } from "../value/typed-values.ts";
import { decodeJson } from "./decode-json.ts";
import { fromJson, fromJsonArray, fromToml, fromYaml, fromYamlArray } from "./from-text.ts";
import { toJson, toToml } from "./to-text.ts";

describe("null", () => {
  test.each([
    { reason: "an empty map in YAML", value: fromYaml("null"), expected: {} },
    { reason: "an empty list in YAML", value: fromYamlArray("null"), expected: [] },
    { reason: "a nil map in JSON", value: fromJson("null"), expected: new TypedNil("map[string]interface {}") },
    { reason: "a nil list in JSON", value: fromJsonArray("null"), expected: new TypedNil("[]interface {}") },
  ])("null gives $reason", ({ value, expected }) => {
    expect(value).toEqual(expected);
  });
});

describe("an error", () => {
  test.each([
    {
      reason: "a key of the map, for YAML",
      value: fromYaml("a: b: c"),
      expected: { Error: "error converting YAML to JSON: yaml: mapping values are not allowed in this context" },
    },
    {
      reason: "a key beside what could be read, for JSON",
      value: fromJson('{"a": 1e400, "b": 2}'),
      expected: { a: null, b: 2, Error: "json: cannot unmarshal number 1e400 into Go value of type float64" },
    },
    {
      reason: "the only item of the list",
      value: fromJsonArray("{}"),
      expected: ["json: cannot unmarshal object into Go value of type []interface {}"],
    },
    {
      reason: "a key of the map, for TOML, with the line and the last key",
      value: fromToml("a = 1\nb = x"),
      expected: { Error: 'toml: line 2 (last key "b"): expected value but found "x" instead' },
    },
  ])("an error gives $reason", ({ value, expected }) => {
    expect(value).toEqual(expected);
  });
});

test("half of a character in JSON becomes U+FFFD, in keys and values", () => {
  expect(decodeJson('{"\\ud800": ["\\udc00x", "\udcff"]}')).toEqual({ value: { "\ufffd": ["\ufffdx", "\ufffd"] } });
});

// Without the backslash: V8's JSON.parse takes the key `"` for `\` behind an object of the same form that had a key `\`.
const textUnit = fc.constantFrom(...'ab <>&"\n\u2028é😀\u007f'.split(/(?:)/u));
const json = fc.jsonValue({ stringUnit: textUnit }).map((value): JsonValue => JSON.parse(JSON.stringify(value)));

test("fromJson reads what toJson wrote", () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(decodeJson(toJson(value))).toEqual({ value, error: undefined });
    }),
    { seed },
  );
});

test("decodeJson gives Go's error for invalid JSON only", () => {
  const piece = fc.constantFrom(..."{}[]:,\"'\\u0123456789abcdeftrn.-+ \nl\u0001é".split(/(?:)/u));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      const { error = "none" } = decodeJson(text);
      expect(error).toMatch(isJson(text) ? /^none$|^json: cannot/ : /^invalid character|^unexpected end/);
    }),
    { seed, numRuns: 3_000 },
  );
});

function isJson(text: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) !== "";
  } catch {
    return false;
  }
}

test("fromToml reads what toToml wrote, floats as floats", () => {
  const value = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string({ unit: textUnit }),
      fc.constantFrom(true, 1.5, 1e21, -0.25),
      fc.array(tie("value"), { maxLength: 3 }),
      // BurntSushi's decoder loses items under empty keys.
      fc.dictionary(fc.string({ unit: textUnit, minLength: 1, maxLength: 3 }), tie("value"), { maxKeys: 3 }),
    ),
  })).value;
  fc.assert(
    fc.property(value.filter(isJsonObject), (map) => {
      expect(decodeJson(toJson(fromToml(toToml(map)))).value).toEqual(map);
    }),
    { seed, numRuns: 500 },
  );
});

test("TOML that is nested too deeply is an error, not a crash", () => {
  expect(fromToml(`a = ${"[".repeat(100_000)}`)).toMatchObject({ Error: expect.stringContaining("nested too deeply") });
});
