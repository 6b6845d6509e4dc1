import { describe, expect, test } from "vitest";
import { fc, seed } from "#seeded";
import { scalarCases, structureCases } from "./read-cases.fixture.ts";
import { readYamlDocuments, readFirstYamlDocument } from "./read-yaml.ts";
import { duplicateCases, refusedCases } from "./refused-cases.fixture.ts";
import { plainScalar } from "./resolve-scalar.ts";
import { YamlProblem } from "./yaml-problem.ts";

function problemOf(read: () => unknown): string {
  try {
    return `no problem, but ${JSON.stringify(read())}`;
  } catch (error) {
    if (error instanceof YamlProblem) return error.message;
    throw error;
  }
}

describe("YAML means what it means to Go", () => {
  test.each(scalarCases)("a scalar is read as by Go: $reason: $text", ({ text, json }) => {
    expect(readFirstYamlDocument(`v: ${text}\n`)).toEqual({ v: JSON.parse(json) });
  });

  test.each(structureCases)("a document is read as by Go: $reason", ({ text, json }) => {
    expect(JSON.stringify(sorted(readFirstYamlDocument(text)))).toBe(JSON.stringify(sorted(JSON.parse(json))));
  });

  test.each(refusedCases)("$reason is refused with Go's message", ({ text, error }) => {
    expect(problemOf(() => readFirstYamlDocument(text))).toBe(error);
  });

  test.each(duplicateCases)("a key $reason is refused with Go's message", ({ text, error }) => {
    expect(problemOf(() => readYamlDocuments(text, { leaf: plainScalar, refusesDuplicates: true }))).toBe(error);
  });
});

/** Go sorts keys; a key `__proto__` must survive that. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => sorted(item));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, field]) => [key, sorted(field)]));
}

/** The words of YAML, in any order. */
const pieces = [
  ...Array.from("abc-?:,[]{}#&*!|>'\"%@`~.1 \t\n\r\u0085\u2028\u0000\u0007\ufeff\ud800\udc80"),
  "- ",
  "\n  ",
  "\n- ",
  ": ",
  "? ",
  "&a ",
  "*a",
  "!!int ",
  "<<: ",
  "---\n",
  "...\n",
  "%YAML 1.1\n",
  "%TAG ! x:\n",
  "__proto__: ",
  "\\x41",
  "'x'",
  '"y"',
];
const anyYaml = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join(""));

describe("any text", () => {
  test("any text gives a value or a YamlProblem, and changes no prototype", () => {
    fc.assert(
      fc.property(anyYaml, (text) => {
        const outcome = problemOf(() => readFirstYamlDocument(text));
        expect(outcome).not.toBe("");
        expect(Reflect.ownKeys(Object.prototype)).toEqual(ownKeysBefore);
      }),
      { seed, numRuns: 5_000 },
    );
  });

  test("every map and list of a value inherits from Object or Array alone", () => {
    fc.assert(
      fc.property(anyYaml, (text) => {
        const foreign = prototypesIn(readOrNull(text)).filter((prototype) => !ordinary.has(prototype));
        expect(foreign).toEqual([]);
      }),
      { seed, numRuns: 2_000 },
    );
  });

  test("JSON is read as JSON.parse reads it", () => {
    const json = fc.json({ stringUnit: fc.constantFrom(...Array.from('ab \n"\\é\u0001')) });
    fc.assert(
      fc.property(json, (text) => {
        expect(readFirstYamlDocument(text)).toEqual(JSON.parse(text));
      }),
      { seed },
    );
  });
});

const ownKeysBefore = Reflect.ownKeys(Object.prototype);
const ordinary = new Set<unknown>([Object.prototype, Array.prototype]);

function readOrNull(text: string): unknown {
  try {
    return readFirstYamlDocument(text);
  } catch (error) {
    if (error instanceof YamlProblem) return null;
    throw error;
  }
}

function prototypesIn(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return [Object.getPrototypeOf(value), ...Object.values(value).flatMap((part) => prototypesIn(part))];
}
