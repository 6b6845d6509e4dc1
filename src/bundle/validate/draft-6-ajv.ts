import { Ajv, type Options, type ValidateFunction } from "ajv";
import draft6 from "ajv/dist/refs/json-schema-draft-06.json" with { type: "json" };
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";

/** Draft 6, except that an `enum` may contain duplicates, as schemas of app-interface do. */
export const draft6Schema = {
  ...draft6,
  properties: { ...draft6.properties, enum: { type: "array" } },
} as const satisfies JsonObject;

/** Keys whose values are data, not schemas. */
const dataKeys = new Set(["enum", "const", "default", "examples"]);

/**
 * A validator of JSON Schema as app-interface uses it: draft 6, with unknown keywords such as `$schemaRef` ignored.
 * ajv follows later drafts in two points that are corrected here: in draft 6 keywords beside a `$ref` are ignored, and
 * patterns are those of Python, which has no flag `u` and supports `(?i)`.
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
    // Optimizing the code of a schema takes longer than it saves: half of the time of compiling, for no measured gain.
    code: { regExp, optimize: false },
    validateFormats: false,
  });
  ajv.addMetaSchema(draft6Schema);
  return ajv;
}

/** Validates schemas against the metaschema of draft 6. */
export function draft6Validator(ajv: Ajv): ValidateFunction {
  const validate = ajv.getSchema(draft6Schema.$id);
  if (!validate) throw new Error("ajv has no schema of draft 6");
  return validate;
}

export function compilePattern(pattern: string): RegExp {
  const flags = /^\(\?([ims]+)\)/.exec(pattern);
  const body = flags ? pattern.slice(flags[0].length) : pattern;
  return new RegExp(body.replaceAll("(?P<", "(?<").replaceAll("\\Z", "$").replaceAll("\\A", "^"), flags?.[1] ?? "");
}

/** Converts a schema for ajv. */
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

/** Keys below these are field names, even `$ref`. */
function isMapOfSchemas(key: string): boolean {
  return key === "properties" || key === "patternProperties" || key === "definitions" || key === "dependencies";
}

function mapValues(value: JsonValue, change: (value: JsonValue) => JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const changed: JsonObject = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, change(part)]));
  return changed;
}
