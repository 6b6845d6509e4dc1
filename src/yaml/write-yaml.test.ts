import { load, YAML11_SCHEMA } from "js-yaml";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "#base";
import { fc, seed } from "#seeded";
import { parseYaml } from "./parse-yaml.ts";
import { writeYaml } from "./write-yaml.ts";

const readers = [
  { name: "our reader", read: (text: string): unknown => parseYaml(text) },
  { name: "a reader of YAML 1.2", read: (text: string): unknown => load(text) },
  { name: "a reader of YAML 1.1", read: (text: string): unknown => load(text, { schema: YAML11_SCHEMA }) },
];

/** Texts that some reader of YAML takes for something else, and the characters that make such texts. */
const trap = fc.constantFrom(
  ..."yes no on off y n null ~ true 012 0o12 0x1f 0b1 1_000 1e3 1:30 .5 .inf .nan 2001-01-01 << = --- ... @a %a".split(
    " ",
  ),
  ...",- a,a: b,a #b,? a,\t, a,a ,a\nb,a\n,\n,\u2028,é😀".split(","),
  "a text that goes on and on until its line is longer than eighty characters, and is not folded",
);
const letters = fc.string({
  unit: fc.constantFrom(..."ab yn01.-:#'\"|>&*!%@`{}[],?~\\\n\té<=".split(/(?:)/u)),
  maxLength: 30,
});
const text = fc.oneof(trap, letters);
const { value: anyValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.constantFrom(null, true, false, 0, 1, -1, 1.5, 1e21, 1e-7, 9007199254740991),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(text, tie("value"), { maxKeys: 4 }),
  ),
}));

describe("writeYaml", () => {
  test.each(readers)("$name reads the same value again", ({ read }) => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(read(writeYaml([value]))).toEqual([value]);
      }),
      { seed, numRuns: 1_000 },
    );
  });

  test.each(readers)("$name reads any JSON again", ({ read }) => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const json: JsonValue = JSON.parse(JSON.stringify(value));
        expect(read(writeYaml({ json }))).toStrictEqual({ json });
      }),
      { seed, numRuns: 300 },
    );
  });

  test("keeps the order of keys and puts the dashes of a list below its key", () => {
    const written = writeYaml({ kind: "Widget", on: "yes", list: [{ a: 1, b: [] }, "x"], empty: {} });
    expect(written).toBe('kind: Widget\n"on": "yes"\nlist:\n- a: 1\n  b: []\n- x\nempty: {}\n');
  });

  test("writes a text of several lines line by line, and folds no long line", () => {
    const long = "word ".repeat(30).trim();
    expect(writeYaml({ script: "a\n  b\n", long })).toBe(`script: |\n  a\n    b\nlong: ${long}\n`);
  });

  test("a key of the prototype is an ordinary key", () => {
    const value: JsonObject = JSON.parse('{"__proto__": {"x": 1}, "constructor": []}');
    expect(writeYaml(value)).toBe("__proto__:\n  x: 1\nconstructor: []\n");
  });

  test("half of a character becomes the replacement character", () => {
    expect(writeYaml({ "a\ud800": "\udc00b" })).toBe("a\ufffd: \ufffdb\n");
  });
});
