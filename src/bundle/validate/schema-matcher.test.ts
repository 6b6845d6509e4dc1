import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "#base";
import { fc, seed } from "#seeded";
import { sampleBundle } from "../sample-bundle.fixture.ts";
import { builtInSchemas } from "../schema/built-in.ts";
import { BundleValidator } from "./bundle-validator.ts";
import { CompiledSchemas, draft6Path, isValid } from "./compiled-schemas.ts";
import { draft6Validator } from "./draft-6-ajv.ts";
import { SchemaMatcher } from "./schema-matcher.ts";

/** What the matcher and ajv say of a value. */
function judge(schema: JsonValue, value: JsonValue): { surely: boolean; ajv: boolean } {
  const schemas = new Map<string, JsonValue>([
    ["/s.yml", schema],
    ["/other.yml", other],
  ]);
  const validate = new CompiledSchemas(schemas).validator("/s.yml");
  return {
    surely: new SchemaMatcher(schemas).isSurelyValid("/s.yml", value),
    ajv: !(validate instanceof Error) && isValid(validate, value) === true,
  };
}

const other: JsonObject = { definitions: { text: { type: "string", minLength: 2 }, small: { enum: [1, 2, "a"] } } };

const names = ["a", "b", "cc", "d1"];
const scalar: fc.Arbitrary<JsonValue> = fc.constantFrom<JsonValue>(
  null,
  true,
  false,
  0,
  1,
  2,
  1.5,
  -3,
  "",
  "a",
  "cc",
  "😀b",
);
const json: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const type = fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object");
const size = fc.integer({ min: 0, max: 3 });

function one(keyword: string, given: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonObject> {
  return given.map((value) => ({ [keyword]: value }));
}

/** Schemas of the keywords that data uses. */
const anySchema: fc.Arbitrary<JsonObject> = fc.letrec<{ schema: JsonObject; keyword: JsonObject }>((tie) => {
  const map = fc.dictionary(fc.constantFrom(...names), tie("schema"), { maxKeys: 3, noNullPrototype: true });
  const list = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
  return {
    keyword: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      one("type", fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 }))),
      one("enum", fc.array(json, { minLength: 1, maxLength: 3 })),
      one("const", json),
      one("required", fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 2 })),
      one("minLength", size),
      one("maxLength", size),
      one("minItems", size),
      one("maxItems", size),
      one("minProperties", size),
      one("maxProperties", size),
      one("uniqueItems", fc.boolean()),
      one("minimum", size),
      one("maximum", size),
      one("exclusiveMinimum", size),
      one("exclusiveMaximum", size),
      one("pattern", fc.constantFrom("^a", "c+$", "(?i)A")),
      one("$ref", fc.constantFrom("/other.yml#/definitions/text", "/other.yml#/definitions/small")),
      one("properties", map),
      one(
        "patternProperties",
        fc.dictionary(fc.constantFrom("^[ab]$", "1"), tie("schema"), { maxKeys: 2, noNullPrototype: true }),
      ),
      one("additionalProperties", fc.oneof(fc.boolean(), tie("schema"))),
      one("propertyNames", tie("schema")),
      one("items", tie("schema")),
      one("allOf", list),
      one("anyOf", list),
      one("oneOf", list),
      one("not", tie("schema")),
    ),
    schema: fc.array(tie("keyword"), { minLength: 1, maxLength: 3 }).map((parts) => Object.assign({}, ...parts)),
  };
}).schema;

describe("the matcher says what ajv says", () => {
  test(`of generated schemas and values (seed ${seed})`, () => {
    fc.assert(
      fc.property(anySchema, json, (schema, value) => {
        const { surely, ajv } = judge(schema, value);
        expect(surely).toBe(ajv);
      }),
      { numRuns: 3_000 },
    );
  });

  test.each<{ reason: string; schema: JsonObject; value?: JsonValue }>([
    { reason: "a keyword of a later draft", schema: { if: { type: "string" }, else: { minLength: 5 } } },
    { reason: "a schema for each item", schema: { items: [{ type: "string" }] }, value: ["a"] },
    { reason: "a reference to nothing", schema: { $ref: "/none.yml" } },
    { reason: "a schema that refers to itself", schema: { $ref: "#" } },
    { reason: "a pattern that is none", schema: { pattern: "(" } },
    { reason: "a type that is none", schema: { type: "text" } },
    { reason: "an id", schema: { $id: "/elsewhere.yml", type: "string" } },
  ])("or nothing: $reason", ({ schema, value = "a" }) => {
    expect(new SchemaMatcher(new Map([["/s.yml", schema]])).isSurelyValid("/s.yml", value)).toBe(false);
  });
});

test("the built-in schemas are valid by draft 6 and by their metaschema", () => {
  const compiled = new CompiledSchemas(builtInSchemas);
  for (const [path, schema] of builtInSchemas) {
    const meta = typeof schema["$schema"] === "string" ? schema["$schema"] : "";
    const validate = builtInSchemas.has(meta) ? compiled.validator(meta) : draft6Validator(compiled.ajv);
    expect([path, draft6Validator(compiled.ajv)(schema)]).toEqual([path, true]);
    expect([path, !(validate instanceof Error) && validate(schema)]).toEqual([path, true]);
    expect([path, compiled.isSurelyValid(draft6Path, schema)]).toEqual([path, true]);
  }
});

test("a schema that is broken in a part that a file does not use is an error of that file too", () => {
  const schema = { $schema: "/metaschema-1.json", version: "1.0", properties: { a: { pattern: "(" } } };
  const bundle = sampleBundle({ data: { "/x.yml": { $schema: "/own-1.yml" } }, schemas: { "/own-1.yml": schema } });
  const { errors } = new BundleValidator().validate(bundle);
  expect(errors.map(({ path, reason }) => [path, reason])).toEqual([
    ["/own-1.yml", "SCHEMA_ERROR"],
    ["/x.yml", "SCHEMA_ERROR"],
  ]);
});

test("the hundred and first file of a schema is judged like the first", () => {
  const files = Array.from({ length: 150 }, (_, index) => [
    `/${index}.yml`,
    { $schema: "/app-sre/product-1.yml", name: `p${index}` },
  ]);
  const wrong = { $schema: "/app-sre/product-1.yml", name: 1 };
  const bundle = sampleBundle({ data: { "/first.yml": wrong, ...Object.fromEntries(files), "/last.yml": wrong } });
  const { errors } = new BundleValidator().validate(bundle);
  const invalid = errors.filter(({ reason }) => reason === "VALIDATION_ERROR");
  expect(invalid.map(({ path }) => path)).toEqual(["/first.yml", "/last.yml"]);
});
