import { isDeepStrictEqual } from "node:util";
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";
import { atPointer } from "../facts/schema-node.ts";
import { compilePattern } from "./draft-6-ajv.ts";

/** A schema says something that is not known here; ajv decides. */
class Unsure extends Error {
  override readonly name = "Unsure";
}

/** References deeper than this may refer to themselves. */
const deepest = 200;

/** Keys that do not decide whether a value is valid. Formats are not checked. */
const annotations: ReadonlySet<string> = new Set([
  "$schema",
  "$schemaRef",
  "title",
  "description",
  "default",
  "definitions",
  "examples",
  "format",
  "version",
]);

type Check = (schema: JsonObject, given: JsonValue, value: JsonValue, at: Place) => boolean;

/** The file that a schema is in, and how many schemas it was reached through. */
interface Place {
  readonly file: string;
  readonly depth: number;
}

/**
 * Says of a value that it is valid by a schema of draft 6, without compiling that schema: compiling takes as long as checking hundreds
 * of files this way. It does not say why a value is invalid, and leaves to ajv what it does not know.
 */
export class SchemaMatcher {
  readonly #schemas: ReadonlyMap<string, JsonValue>;
  readonly #patterns = new Map<string, RegExp>();
  readonly #checks: ReadonlyMap<string, Check>;

  constructor(schemas: ReadonlyMap<string, JsonValue>) {
    this.#schemas = schemas;
    this.#checks = new Map(Object.entries(this.#allChecks()));
  }

  /** Whether a value is sure to be valid by the schema of this path. */
  isSurelyValid(path: string, value: JsonValue): boolean {
    try {
      return this.#matches(this.#schemas.get(path), value, { file: path, depth: 0 });
    } catch (error) {
      if (error instanceof Unsure) return false;
      throw error;
    }
  }

  #matches(schema: JsonValue | undefined, value: JsonValue, at: Place): boolean {
    if (typeof schema === "boolean") return schema;
    if (!isJsonObject(schema) || at.depth > deepest) throw new Unsure();
    const reference = schema["$ref"];
    if (typeof reference === "string") return this.#matchesReference(reference, value, at);
    const inside = { file: at.file, depth: at.depth + 1 };
    for (const key of Object.keys(schema)) {
      if (annotations.has(key)) continue;
      const check = this.#checks.get(key);
      if (!check) throw new Unsure();
      if (!check(schema, schema[key] ?? null, value, inside)) return false;
    }
    return true;
  }

  #matchesReference(reference: string, value: JsonValue, { file, depth }: Place): boolean {
    const [target = "", pointer = ""] = reference.split("#");
    const base = target === "" ? file : target;
    return this.#matches(atPointer(this.#schemas.get(base), pointer), value, { file: base, depth: depth + 1 });
  }

  #allChecks(): Readonly<Record<string, Check>> {
    return {
      type: (_, given, value) => (isJsonList(given) ? given : [given]).some((type) => hasType(value, type)),
      enum: (_, given, value) => listOf(given).some((allowed) => isDeepStrictEqual(allowed, value)),
      const: (_, given, value) => isDeepStrictEqual(given, value),
      required: (_, given, value) =>
        !isJsonObject(value) || listOf(given).every((key) => Object.hasOwn(value, textOf(key))),
      properties: (_, given, value, at) =>
        !isJsonObject(value) ||
        Object.entries(objectOf(given)).every(
          ([key, schema]) => !Object.hasOwn(value, key) || this.#matches(schema, value[key] ?? null, at),
        ),
      patternProperties: (_, given, value, at) =>
        !isJsonObject(value) ||
        Object.entries(objectOf(given)).every(([pattern, schema]) =>
          Object.entries(value).every(
            ([key, field]) => !this.#pattern(pattern).test(key) || this.#matches(schema, field, at),
          ),
        ),
      additionalProperties: (schema, given, value, at) =>
        !isJsonObject(value) || this.#others(schema, value).every((field) => this.#matches(given, field, at)),
      propertyNames: (_, given, value, at) =>
        !isJsonObject(value) || Object.keys(value).every((key) => this.#matches(given, key, at)),
      minProperties: (_, given, value) => !isJsonObject(value) || Object.keys(value).length >= numberOf(given),
      maxProperties: (_, given, value) => !isJsonObject(value) || Object.keys(value).length <= numberOf(given),
      // A list of schemas, one for each item, is as good as unused.
      items: (_, given, value, at) => !isJsonList(value) || value.every((item) => this.#matches(given, item, at)),
      minItems: (_, given, value) => !isJsonList(value) || value.length >= numberOf(given),
      maxItems: (_, given, value) => !isJsonList(value) || value.length <= numberOf(given),
      uniqueItems: (_, given, value) => !isJsonList(value) || given !== true || areUnique(value),
      minLength: (_, given, value) => typeof value !== "string" || lengthOf(value) >= numberOf(given),
      maxLength: (_, given, value) => typeof value !== "string" || lengthOf(value) <= numberOf(given),
      pattern: (_, given, value) => typeof value !== "string" || this.#pattern(textOf(given)).test(value),
      minimum: (_, given, value) => typeof value !== "number" || value >= numberOf(given),
      maximum: (_, given, value) => typeof value !== "number" || value <= numberOf(given),
      exclusiveMinimum: (_, given, value) => typeof value !== "number" || value > numberOf(given),
      exclusiveMaximum: (_, given, value) => typeof value !== "number" || value < numberOf(given),
      allOf: (_, given, value, at) => listOf(given).every((schema) => this.#matches(schema, value, at)),
      anyOf: (_, given, value, at) => listOf(given).some((schema) => this.#matches(schema, value, at)),
      oneOf: (_, given, value, at) => listOf(given).filter((schema) => this.#matches(schema, value, at)).length === 1,
      not: (_, given, value, at) => !this.#matches(given, value, at),
    };
  }

  /** The values of fields that the schema does not name. */
  #others({ properties = {}, patternProperties = {} }: JsonObject, value: JsonObject): JsonValue[] {
    const named = objectOf(properties);
    const patterns = Object.keys(objectOf(patternProperties)).map((pattern) => this.#pattern(pattern));
    return Object.entries(value).flatMap(([key, field]) =>
      Object.hasOwn(named, key) || patterns.some((pattern) => pattern.test(key)) ? [] : [field],
    );
  }

  #pattern(pattern: string): RegExp {
    const known = this.#patterns.get(pattern);
    if (known) return known;
    const compiled = compileSurely(pattern);
    this.#patterns.set(pattern, compiled);
    return compiled;
  }
}

function compileSurely(pattern: string): RegExp {
  try {
    return compilePattern(pattern);
  } catch {
    // Ajv reports it.
    throw new Unsure();
  }
}

function hasType(value: JsonValue, type: JsonValue): boolean {
  switch (textOf(type)) {
    case "string":
    case "boolean":
      return typeof value === type;
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    case "array":
      return isJsonList(value);
    case "object":
      return isJsonObject(value);
    default:
      throw new Unsure();
  }
}

function listOf(given: JsonValue): readonly JsonValue[] {
  if (isJsonList(given)) return given;
  throw new Unsure();
}

function objectOf(given: JsonValue): JsonObject {
  if (isJsonObject(given)) return given;
  throw new Unsure();
}

function textOf(given: JsonValue): string {
  if (typeof given === "string") return given;
  throw new Unsure();
}

function numberOf(given: JsonValue): number {
  if (typeof given === "number") return given;
  throw new Unsure();
}

/** In characters, as JSON Schema counts. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}

function areUnique(list: readonly JsonValue[]): boolean {
  return list.every((item, index) => !list.slice(0, index).some((other) => isDeepStrictEqual(item, other)));
}
