import { inspect } from "node:util";
import { expect, test } from "vitest";
import { fc, seed } from "#seeded";
import { readSimpleDocument } from "./read-simple.ts";
import { similarDocumentReader, takeDocuments } from "./read-yaml.ts";
import { exactScalar } from "./resolve-scalar.ts";

/** What the reader of all of YAML says; `undefined` if it refuses, or finds something odd. */
function readAll(text: string, refusesDuplicates: boolean): unknown {
  try {
    return takeDocuments(text, { leaf: exactScalar, refusesDuplicates });
  } catch {
    return undefined;
  }
}

/** With types of numbers and the order of keys, which comparisons overlook. */
function shown(value: unknown): string {
  return inspect(value, { depth: Infinity, maxStringLength: Infinity });
}

/** One of the usual, and now and then an odd one. */
function mostly(usual: string, odd: string): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 24, arbitrary: fc.constantFrom(...usual.split("¦")) },
    { weight: 1, arbitrary: fc.constantFrom(...odd.split("¦")) },
  );
}

const indentation = mostly("¦¦  ¦  ¦    ", " ¦   ¦\t");
const dash = mostly("¦¦- ", "-  ¦- - ¦-¦? ");
const key = mostly(
  "a: ¦b: ¦a:¦$ref: ¦app.kubernetes.io/name: ¦constructor: ¦a:   ",
  `¦on: ¦$: ¦a$b: ¦null: ¦1: ¦__proto__: ¦<<: ¦a : ¦"a": ¦a b: ¦: ¦!x ¦&x ¦a: b: ¦-a: ¦a#: ¦a:b: ¦é: ¦a:\t¦${"a".repeat(1_100)}: `,
);
const scalar = mostly(
  "¦¦¦x¦x y¦x:y¦x::y¦x#y¦-x¦--¦yes¦~¦null¦1¦1.0¦012¦0x1f¦1e3¦9007199254740993¦2020-01-01¦é¦$(x)¦<x>¦x\\y" +
    `¦"x"¦'x y'¦"#"¦'a: b'¦{}¦[]¦[x]¦[ x , y ]¦{a: x}¦{a: x, b: 1}¦["x", 'y']`,
  "x: y¦x:¦x :y¦x #y¦#y¦-¦- x¦---¦...¦%x¦.inf¦-.inf¦.nan¦|¦>-¦*x¦@x¦`x`¦?x¦\u{1f600}¦\ud800¦\u2028¦\x85¦\xa0¦\ufeff¦x\ty¦\x07" +
    `¦"x" y¦"x\\n"¦"x¦'x''y'¦'x"¦"x"#y¦{ }¦[ ]¦[x,]¦[,x]¦[x y]¦[x: y]¦[-x]¦[[]]¦[¦[a#]¦[x:]` +
    "¦{a: x,}¦{a}¦{a:x}¦{on: x}¦{a: x, a: y}¦{a: {}}¦{a: }¦{a: x}}¦{a: x} y¦{a: x:y}",
);
const ending = mostly("¦ ¦ # c", "# c¦\t# c¦\r");
const lines = fc
  .array(fc.tuple(indentation, dash, key, scalar, ending), { maxLength: 7 })
  .map((parts) => parts.map((part) => part.join("")));
const preamble = mostly("¦¦---\n¦\n# c\n", "--- x\n¦---\n---\n¦%YAML 1.1\n---\n¦...\n¦\ufeff¦ ---\n");
const text = fc.tuple(preamble, lines, mostly("¦\n", "\n...¦\n---\na: 1¦\n\t"));

test("a simple document is read as the reader of all of YAML reads it", () => {
  let simple = 0;
  fc.assert(
    fc.property(text, fc.boolean(), ([before, content, after], refusesDuplicates) => {
      const written = before + content.join("\n") + after;
      const document = readSimpleDocument(written, { leaf: exactScalar, refusesDuplicates });
      if (document === undefined) return;
      simple += 1;
      expect(shown([document])).toBe(shown(readAll(written, refusesDuplicates)));
    }),
    { seed, numRuns: 10_000 },
  );
  expect(simple).toBeGreaterThan(1_000);
});

test("documents that are read together share lines, but neither lists nor maps", () => {
  const read = similarDocumentReader();
  const written = "a: {b: 1}\nc: [d]\ne:\n  - f: {}\n";
  const first = read(written);
  expect(first).toEqual({ a: { b: 1 }, c: ["d"], e: [{ f: {} }] });
  expect(collectionsIn(read(written)).filter((part) => collectionsIn(first).includes(part))).toEqual([]);
  expect(read(written)).toEqual({ a: { b: 1 }, c: ["d"], e: [{ f: {} }] });
});

function collectionsIn(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap((part) => collectionsIn(part))];
}

test("a data file is simple: keys may begin with a dollar sign", () => {
  const file = "---\n$schema: /openshift/namespace-1.yml\nname: a\ncluster:\n  $ref: /clusters/c.yml\n";
  expect(readSimpleDocument(file, { leaf: exactScalar })?.value).toEqual({
    $schema: "/openshift/namespace-1.yml",
    name: "a",
    cluster: { $ref: "/clusters/c.yml" },
  });
});
