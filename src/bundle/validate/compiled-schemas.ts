import type { Ajv, ValidateFunction } from "ajv";
import { isJsonObject, type JsonValue } from "#base";
import { atPointer } from "../facts/schema-node.ts";
import { asDraft6, createAjv, draft6Schema } from "./draft-6-ajv.ts";

/** The schemas of a bundle, ready to validate with. Each is compiled when it is first needed. */
export class CompiledSchemas {
  readonly ajv: Ajv = createAjv();
  readonly #schemas: ReadonlyMap<string, JsonValue>;
  readonly #inline = new Map<JsonValue, ValidateFunction | Error>();
  readonly #broken = new Map<string, Error>();
  #places: ReadonlyMap<unknown, SchemaPlace> | undefined;

  constructor(schemas: ReadonlyMap<string, JsonValue>) {
    this.#schemas = new Map(Array.from(schemas, ([path, schema]) => [path, asDraft6(schema)]));
    for (const [path, schema] of this.#schemas) {
      if (isJsonObject(schema)) this.ajv.addSchema(schema, path);
    }
  }

  /** The validator of a schema, or why there is none. */
  validator(path: string): ValidateFunction | Error {
    const broken = this.#broken.get(path);
    if (broken) return broken;
    const found = attempt(() => this.ajv.getSchema(path) ?? new Error("it is no object"));
    if (found instanceof Error) this.#broken.set(path, found);
    return found;
  }

  /** The validator of a schema that stands within another. */
  inline(schema: JsonValue): ValidateFunction | Error {
    let validate = this.#inline.get(schema);
    if (!validate) {
      const readable = asDraft6(schema);
      validate = attempt(() => this.ajv.compile(isJsonObject(readable) ? readable : true));
      this.#inline.set(schema, validate);
    }
    return validate;
  }

  /** The validators of the alternatives that a schema offers by one of its keywords; empty when it is not known where it is. */
  alternatives(schema: unknown, keyword: string): ValidateFunction[] {
    const place = this.#placeOf(schema);
    const list = isJsonObject(place?.schema) ? place.schema[keyword] : undefined;
    if (!place || !Array.isArray(list)) return [];
    const found = list.map((_, index) =>
      attempt(() => this.ajv.getSchema(`${place.file}#${place.pointer}/${keyword}/${index}`)),
    );
    return found.filter((validate) => typeof validate === "function");
  }

  /** Everything that belongs to a part of a schema, or that it refers to. */
  reachable(part: unknown, found = new Set<unknown>()): ReadonlySet<unknown> {
    if (typeof part !== "object" || part === null || found.has(part)) return found;
    found.add(part);
    for (const value of Object.values(part)) this.reachable(value, found);
    const place = this.#placeOf(part);
    const reference = isJsonObject(place?.schema) ? place.schema["$ref"] : undefined;
    if (place && typeof reference === "string") {
      const [file = "", pointer = ""] = reference.split("#");
      this.reachable(atPointer(this.#schemas.get(file === "" ? place.file : file), pointer), found);
    }
    return found;
  }

  #placeOf(schema: unknown): SchemaPlace | undefined {
    this.#places ??= placesIn(this.#schemas);
    return this.#places.get(schema);
  }
}

interface SchemaPlace {
  readonly file: string;
  readonly pointer: string;
  readonly schema: JsonValue;
}

/** Where each object within the schemas is. */
function placesIn(schemas: ReadonlyMap<string, JsonValue>): ReadonlyMap<unknown, SchemaPlace> {
  const places = new Map<unknown, SchemaPlace>();
  function note(schema: JsonValue, file: string, pointer: string): void {
    if (typeof schema !== "object" || schema === null) return;
    places.set(schema, { file, pointer, schema });
    for (const [key, part] of Object.entries(schema)) {
      note(part, file, `${pointer}/${encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))}`);
    }
  }
  for (const [file, schema] of schemas) note(schema, file, "");
  note(draft6Schema, draft6Schema.$id.replace(/#$/, ""), "");
  return places;
}

/** A schema that refers to nothing but itself compiles, and never ends. */
export function isValid(validate: ValidateFunction, value: JsonValue): boolean | RangeError {
  try {
    return validate(value);
  } catch (error) {
    if (error instanceof RangeError) return error;
    throw error;
  }
}

function attempt<Result>(task: () => Result): Result | Error {
  try {
    return task();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
