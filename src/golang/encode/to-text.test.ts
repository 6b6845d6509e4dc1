import { describe, expect, test } from "vitest";
import type { JsonValue } from "#base";
import { fc, seed } from "#seeded";
import { parseYaml } from "#yaml";
import { Bytes, Complex, GoMap, Int, Named, Slice, Struct, TypedNil } from "../value/typed-values.ts";
import { toYaml, toYamlPretty } from "./to-text.ts";

/** What Helm prints is compared, string by string, in test/oracle/corpus/helm-encode.yaml; here are the laws. */
describe("toYaml", () => {
  test("toYaml writes a list below its key, sorts keys, and folds long lines", () => {
    const text = "a text that goes on and on until the line is longer than eighty characters and folds";
    expect(toYaml({ port10: 1, port2: [1, { b: [], a: {} }], Z: text, yes: "no", t: "x\ny\n" })).toBe(
      [
        "Z: a text that goes on and on until the line is longer than eighty characters and",
        "  folds",
        "port2:",
        "- 1",
        "- a: {}",
        "  b: []",
        "port10: 1",
        "t: |",
        "  x",
        "  y",
        '"yes": "no"',
      ].join("\n"),
    );
  });

  test.each([
    { reason: "an integer of Go", value: new Int("int64", 9223372036854775807n), yaml: "9223372036854775807" },
    { reason: "a float beyond the integers of 64 bits", value: 1e20, yaml: "1e+20" },
    { reason: "a slice", value: new Slice("string", ["a", "yes"]), yaml: '- a\n- "yes"' },
    { reason: "a map of another type", value: new GoMap("string", "string", new Map([["b", "x"]])), yaml: "b: x" },
    { reason: "bytes, as base64", value: new Bytes(Uint8Array.of(1, 2, 255)), yaml: "AQL/" },
    { reason: "a nil map", value: new TypedNil("map[string]interface {}"), yaml: "null" },
    { reason: "a json.Number", value: new Named("json.Number", "1.50"), yaml: "1.5" },
    { reason: "a json.Number that is not a number", value: new Named("json.Number", "x"), yaml: "" },
    { reason: "a complex number", value: [new Complex(0, 1)], yaml: "" },
    { reason: "NaN", value: { a: Number.NaN }, yaml: "" },
    { reason: "a character that YAML refuses", value: { a: "\u007f" }, yaml: "" },
    { reason: "a struct, its fields sorted", value: new Struct("t", { fields: { B: 1, A: "x" } }), yaml: "A: x\nB: 1" },
  ])("toYaml of $reason", ({ value, yaml }) => {
    expect(toYaml(value)).toBe(yaml);
  });
});

test("toYamlPretty indents lists, folds nothing and writes floats as Go does", () => {
  const text = "word ".repeat(30).trim();
  expect(toYamlPretty({ a: [1e6, new Int("int", 5n)], t: text })).toBe(`a:\n  - 1e+06\n  - 5\nt: ${text}`);
});

/** Without tabs: goyaml.v3 writes texts that begin with one in a way that goyaml.v2 does not read. */
const anyText = fc.array(fc.constantFrom(..."ab yn01.-:#'\"|>&*!%@`{}[],?~\\\né😀\u2028".split(/(?:)/u)), {
  maxLength: 40,
});
const text = anyText.map((parts) => parts.join(""));
const { value: anyValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.constantFrom(null, true, false, 0, 1, -1, 1.5, 1e21, 1e-7, 9007199254740992),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(text, tie("value"), { maxKeys: 4 }),
  ),
}));

test.each([
  { reason: "toYaml", write: toYaml },
  { reason: "toYamlPretty", write: toYamlPretty },
])("what $reason writes is read as the same value", ({ write }) => {
  fc.assert(
    fc.property(anyValue, (value) => {
      // Helm cuts off the line end.
      expect(parseYaml(`${write(value)}\n`)).toEqual(value);
    }),
    { seed, numRuns: 2_000 },
  );
});

test("a key of the prototype is an ordinary key", () => {
  const value: JsonValue = JSON.parse('{"__proto__": {"x": 1}, "constructor": [], "toString": "y"}');
  expect(toYaml(value)).toBe('__proto__:\n  x: 1\nconstructor: []\ntoString: "y"');
});
