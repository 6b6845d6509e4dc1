import { describe, expect, test } from "vitest";
import type { JsonValue } from "#base";
import { compilePattern } from "./draft-6-ajv.ts";
import { isValid, CompiledSchemas } from "./compiled-schemas.ts";

function accepts(schema: JsonValue, value: JsonValue): boolean | RangeError {
  const validate = new CompiledSchemas(new Map([["/own-1.yml", schema]])).validator("/own-1.yml");
  if (validate instanceof Error) throw validate;
  return isValid(validate, value);
}

describe("JSON Schema as app-interface uses it", () => {
  test.each<{ reason: string; schema: JsonValue; value: JsonValue; isFine: boolean }>([
    {
      reason: "keywords beside a $ref are ignored",
      schema: {
        properties: { a: { $ref: "#/definitions/a", type: "integer" } },
        definitions: { a: { type: "string" } },
      },
      value: { a: "text" },
      isFine: true,
    },
    {
      reason: "a field may be called $ref",
      schema: { properties: { $ref: { type: "string" }, b: { type: "integer" } } },
      value: { $ref: "/a.yml", b: "text" },
      isFine: false,
    },
    {
      reason: "values of an enum are not schemas",
      schema: { enum: [{ $ref: "/a.yml", b: 1 }] },
      value: { $ref: "/a.yml", b: 1 },
      isFine: true,
    },
    { reason: "exclusiveMaximum is a number", schema: { exclusiveMaximum: 100 }, value: 100, isFine: false },
    { reason: "contains", schema: { contains: { const: "a" } }, value: ["b"], isFine: false },
    { reason: "format is not checked", schema: { format: "uri" }, value: "no uri", isFine: true },
    { reason: "dependencies", schema: { dependencies: { a: ["b"] } }, value: { a: 1 }, isFine: false },
    {
      reason: "unknown keywords are ignored",
      schema: { $schemaRef: "/x-1.yml", surprise: 1 },
      value: 1,
      isFine: true,
    },
  ])("$reason", ({ schema, value, isFine }) => {
    expect(accepts(schema, value)).toBe(isFine);
  });

  test("schemas refer to each other by path", () => {
    const compiled = new CompiledSchemas(
      new Map<string, JsonValue>([
        ["/a/one-1.yml", { properties: { two: { $ref: "/b/two-1.yml#/definitions/two" } } }],
        ["/b/two-1.yml", { definitions: { two: { $ref: "#/definitions/three" }, three: { type: "integer" } } }],
      ]),
    );
    const validate = compiled.validator("/a/one-1.yml");
    if (validate instanceof Error) throw validate;
    expect([isValid(validate, { two: 2 }), isValid(validate, { two: "2" })]).toEqual([true, false]);
  });
});

describe("compilePattern reads Python's patterns", () => {
  test.each([
    { pattern: "(?i)^select", text: "SELECT 1", isMatch: true, reason: "a flag at the start" },
    { pattern: "(?P<year>\\d{4})", text: "in 2026", isMatch: true, reason: "a named group, anywhere in the text" },
    { pattern: "\\Aa\\Z", text: "a", isMatch: true, reason: "\\A and \\Z" },
    { pattern: '[\\"\\\'][^\\"]*', text: "'", isMatch: true, reason: "unnecessary backslashes" },
    { pattern: "^[a-z0-9][a-z0-9-_]{0,30}$", text: "a_b", isMatch: true, reason: "a dash in the middle of a class" },
    { pattern: "^https://.+(?<!/)$", text: "https://x/", isMatch: false, reason: "a lookbehind" },
  ])("$pattern: $reason", ({ pattern, text, isMatch }) => {
    expect(compilePattern(pattern).test(text)).toBe(isMatch);
  });
});
