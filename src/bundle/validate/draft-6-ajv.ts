import { Ajv, type Options, type ValidateFunction } from "ajv";
import draft6 from "ajv/dist/refs/json-schema-draft-06.json" with { type: "json" };
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";

/** But for one thing: values that are listed twice are untidy, and schemas of app-interface have some. */
export const draft6Schema = {
  ...draft6,
  properties: { ...draft6.properties, enum: { type: "array" } },
} as const satisfies JsonObject;

/** Keys whose values are data, not schemas. */
const dataKeys = new Set(["enum", "const", "default", "examples"]);

/**
 * A validator of JSON Schema as app-interface writes it: draft 6, with `$schemaRef` and the like to be ignored.
 * ajv itself follows later drafts in two points that are put right here: in draft 6 nothing counts beside a `$ref`, and
 * patterns are Python's, who knows no flag `u` and writes `(?i)`.
 */
export function createAjv(): Ajv {
  const regExp: NonNullable<NonNullable<Options["code"]>["regExp"]> = Object.assign(compilePattern, { code: "" });
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    strict: false,
    validateSchema: false,
    addUsedSchema: false,
    unicodeRegExp: false,
    logger: false,
    code: { regExp },
    validateFormats: false,
  });
  ajv.addMetaSchema(draft6Schema);
  return ajv;
}

/** Says what is wrong with a schema by the rules of draft 6 itself. */
export function draft6Validator(ajv: Ajv): ValidateFunction {
  const validate = ajv.getSchema(draft6Schema.$id);
  if (!validate) throw new Error("ajv has lost the schema of draft 6");
  return validate;
}

export function compilePattern(pattern: string): RegExp {
  const flags = /^\(\?([ims]+)\)/.exec(pattern);
  const body = flags ? pattern.slice(flags[0].length) : pattern;
  return new RegExp(body.replaceAll("(?P<", "(?<").replaceAll("\\Z", "$").replaceAll("\\A", "^"), flags?.[1] ?? "");
}

/** The schema as ajv must see it. */
export function asDraft6(schema: JsonValue): JsonValue {
  if (isJsonList(schema)) return schema.map(asDraft6);
  if (!isJsonObject(schema)) return schema;
  const { $ref: reference, description } = schema;
  if (typeof reference === "string")
    return { $ref: reference, ...(typeof description === "string" && { description }) };
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      if (key === "$schema" && typeof value === "string") return [];
      if (dataKeys.has(key)) return [[key, value]];
      return [[key, isMapOfSchemas(key) ? mapValues(value, asDraft6) : asDraft6(value)]];
    }),
  );
}

/** Below these, keys are names of users, also a key that is called `$ref`. */
function isMapOfSchemas(key: string): boolean {
  return key === "properties" || key === "patternProperties" || key === "definitions" || key === "dependencies";
}

function mapValues(value: JsonValue, change: (value: JsonValue) => JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const changed: JsonObject = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, change(part)]));
  return changed;
}
