import { describe, expect, test } from "vitest";
import { InputError, type JsonValue } from "#base";
import { fc } from "#seeded";
import { valueText } from "./resolved.ts";
import { findValue, parseValuePath } from "./value-path.ts";

const object: JsonValue = {
  metadata: { name: "web", annotations: { "a.b/c": "ann", "x[0]": "odd" } },
  spec: {
    replicas: 3,
    paused: false,
    nothing: null,
    ports: [{ port: 80 }, { port: 443, name: "https", flags: [true] }],
    containers: [
      { name: "c0", image: "i0" },
      { name: "c1", image: "i1" },
    ],
  },
  10: "ten",
};

function read(path: string): string | undefined {
  return valueText(findValue(object, parseValuePath(path)));
}

test.each([
  { path: "spec.replicas", expected: "3", reason: "a number" },
  { path: "spec.paused", expected: "false", reason: "a boolean" },
  { path: "spec.containers.0.image", expected: "i0", reason: "an index as a step" },
  { path: "spec.containers.#", expected: "2", reason: "a length" },
  { path: "spec.containers.#.image", expected: '["i0","i1"]', reason: "a projection" },
  { path: 'spec.containers.#(name=="c1").image', expected: "i1", reason: "a query" },
  { path: "spec.containers.#(name==c1).image", expected: "i1", reason: "a query without quotes" },
  {
    path: "spec.containers",
    expected: '[{"name":"c0","image":"i0"},{"name":"c1","image":"i1"}]',
    reason: "a list is compact JSON in its own order",
  },
  { path: "metadata", expected: JSON.stringify(object["metadata"]), reason: "so is an object" },
  { path: "metadata.annotations.a\\.b/c", expected: "ann", reason: "a dot that is escaped" },
  { path: "spec.containers[0].image", expected: "i0", reason: "as kustomize writes it" },
  { path: "metadata.annotations[a.b/c]", expected: "ann", reason: "a key as kustomize writes it" },
  { path: "spec.nope.deeper", expected: undefined, reason: "nothing there" },
  { path: "spec.nothing", expected: undefined, reason: "null is nothing" },
  { path: "spec.nothing.more", expected: undefined, reason: "nothing in null" },
])("H30: a field path finds its value: $path, $reason", ({ path, expected }) => {
  expect(read(path)).toBe(expected);
});

test.each([
  { path: '["metadata"]["annotations"]["a.b/c"]', expected: "ann", reason: "quotes around keys" },
  { path: "metadata.annotations['x[0]']", expected: "odd", reason: "a bracket within quotes" },
  { path: "metadata.annotations.x\\[0\\]", expected: "odd", reason: "brackets that are escaped" },
  { path: "10", expected: "ten", reason: "a number is a key where the value is an object" },
  { path: "spec.ports.#.name", expected: '["https"]', reason: "items without the field are left out" },
  { path: "spec.ports.#[port]", expected: "[80,443]", reason: "both languages in one path" },
  { path: "spec.ports.#(port==443).name", expected: "https", reason: "a number in a query" },
  { path: "spec.ports.#(flags.0==true).port", expected: "443", reason: "a path and a boolean in a query" },
  { path: "spec.ports.#(port==1).name", expected: undefined, reason: "no such item" },
  { path: "spec.#", expected: undefined, reason: "an object has no length" },
  { path: "spec.ports.01", expected: undefined, reason: "no index" },
  { path: "spec.ports.9", expected: undefined, reason: "beyond the end" },
  { path: "spec.ports.length", expected: undefined, reason: "nothing of JavaScript's lists" },
  { path: "spec.constructor.name", expected: undefined, reason: "nor of its objects" },
  { path: "__proto__", expected: undefined, reason: "nor what they inherit" },
])("$path: $reason", ({ path, expected }) => {
  expect(read(path)).toBe(expected);
});

test.each([
  { path: "", column: 1, reason: "empty" },
  { path: ".spec", column: 1, reason: "as kubectl writes it" },
  { path: "{.spec}", column: 1, reason: "likewise, and a multipath" },
  { path: "$.spec", column: 1, reason: "JSONPath" },
  { path: "spec..a", column: 6, reason: "no name" },
  { path: "spec.", column: 6, reason: "no name at the end" },
  { path: "spec.*", column: 6, reason: "a wildcard" },
  { path: "spec.conta?ners", column: 11, reason: "a wildcard" },
  { path: "spec|replicas", column: 5, reason: "a pipe" },
  { path: "spec.@reverse", column: 6, reason: "a modifier" },
  { path: "spec.!a", column: 6, reason: "a literal" },
  { path: "a.#(b!=1)", column: 3, reason: "another comparison" },
  { path: "a.#(b==1)#", column: 10, reason: "all matches" },
  { path: "a.#(b)", column: 3, reason: "a query without comparison" },
  { path: "a.#(b.#.c==1)", column: 3, reason: "a projection in a query" },
  { path: "a.#x", column: 4, reason: "something behind #" },
  { path: "a[0", column: 2, reason: "not closed" },
  { path: "a[]", column: 2, reason: "empty brackets" },
  { path: "a[name=b]", column: 2, reason: "a query of kustomize's replacements" },
  { path: "a[0]b", column: 5, reason: "no dot" },
  { path: "a]", column: 2, reason: "not opened" },
  { path: "a\\", column: 2, reason: "nothing to escape" },
])("H30: an invalid field path is refused, rather than empty: $path, $reason", ({ path, column }) => {
  expect(() => parseValuePath(path)).toThrow(InputError);
  expect(() => parseValuePath(path)).toThrow(`column ${column}: `);
});

describe("laws", () => {
  const keys = fc.array(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 5 });

  test("X18: every key can be reached in both path languages", () => {
    fc.assert(
      fc.property(keys, (path) => {
        const found = path.reduceRight<JsonValue>((value, key) => Object.fromEntries([[key, value]]), "here");
        const escaped = path.map((key) => key.replace(/[^A-Za-z0-9]/g, "\\$&")).join(".");
        const bracketed = path.map((key) => `[${key}]`).join("");
        expect(findValue(found, parseValuePath(escaped))).toBe("here");
        expect(isBracketable(path) ? findValue(found, parseValuePath(bracketed)) : "here").toBe("here");
      }),
    );
  });

  test("any text is either a path or refused with a column", () => {
    const pieces = [...Array.from("ab0.[]#()\"'\\*|é"), "==", "😀"];
    const pieced = fc.array(fc.constantFrom(...pieces), { maxLength: 20 }).map((all) => all.join(""));
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 40 }), pieced), (text) => {
        expect(complaintAbout(text)).toMatch(/^$|^InputError: field path ".*", column \d+: /s);
      }),
      { numRuns: 2_000 },
    );
  });

  test("a path that is too long is refused before it is read", () => {
    expect(() => parseValuePath("#.".repeat(10_000))).toThrow("at most 1024 characters");
    expect(findValue([], parseValuePath(`${"#.".repeat(500)}a`))).toEqual([]);
  });
});

function isBracketable(path: readonly string[]): boolean {
  return path.every((key) => !/[[\]=*?"']/.test(key));
}

function complaintAbout(path: string): string {
  try {
    findValue(object, parseValuePath(path));
    return "";
  } catch (error) {
    return String(error);
  }
}
