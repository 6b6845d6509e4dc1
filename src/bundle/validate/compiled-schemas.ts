import type { Ajv, ValidateFunction } from "ajv";
import { isJsonObject, type JsonValue } from "#base";
import { atPointer } from "../facts/schema-node.ts";
import { asDraft6, createAjv, draft6Schema } from "./draft-6-ajv.ts";
import { SchemaMatcher } from "./schema-matcher.ts";

/** So many values are checked by a schema before it is compiled, which takes about as long. */
const mostUncompiled = 100;

/** The path of draft 6 itself among the schemas. */
export const draft6Path = draft6Schema.$id.replace(/#$/, "");

/** The compiled schemas of a bundle. Each is compiled on first use. */
export class CompiledSchemas {
  #ajv: Ajv | undefined;
  readonly #schemas: ReadonlyMap<string, JsonValue>;
  readonly #matcher: SchemaMatcher;
  #isTrusted = true;
  /** How many values each schema was asked about before it was compiled. */
  readonly #asked = new Map<string, number>();
  readonly #inline = new Map<JsonValue, ValidateFunction | Error>();
  readonly #broken = new Map<string, Error>();
  #locations: ReadonlyMap<unknown, SchemaLocation> | undefined;

  constructor(schemas: ReadonlyMap<string, JsonValue>) {
    this.#schemas = new Map(Array.from(schemas, ([path, schema]) => [path, asDraft6(schema)]));
    const { $id: _, ...draft6 } = draft6Schema;
    this.#matcher = new SchemaMatcher(new Map([...this.#schemas, [draft6Path, asDraft6(draft6)]]));
  }

  get ajv(): Ajv {
    this.#ajv ??= this.#createAjv();
    return this.#ajv;
  }

  #createAjv(): Ajv {
    const ajv = createAjv();
    for (const [path, schema] of this.#schemas) {
      if (isJsonObject(schema)) ajv.addSchema(schema, path);
    }
    return ajv;
  }

  /**
   * Whether a value is sure to be valid by a schema; if not, its validator decides. A schema that is asked about often is worth
   * compiling.
   */
  isSurelyValid(path: string, value: JsonValue): boolean {
    const asked = this.#asked.get(path) ?? 0;
    if (!this.#isTrusted || asked >= mostUncompiled) return false;
    this.#asked.set(path, asked + 1);
    return this.#matcher.isSurelyValid(path, value);
  }

  /** Some schema is broken: compiling finds out which values that concerns. */
  distrust(): void {
    this.#isTrusted = false;
  }

  /** The validator of a schema, or the error of compiling it. */
  validator(path: string): ValidateFunction | Error {
    const broken = this.#broken.get(path);
    if (broken) return broken;
    const found = attempt(() => this.ajv.getSchema(path) ?? new Error("expected an object"));
    if (found instanceof Error) this.#broken.set(path, found);
    return found;
  }

  /** The validator of a schema inside another one. */
  inline(schema: JsonValue): ValidateFunction | Error {
    let validate = this.#inline.get(schema);
    if (!validate) {
      const readable = asDraft6(schema);
      validate = attempt(() => this.ajv.compile(isJsonObject(readable) ? readable : true));
      this.#inline.set(schema, validate);
    }
    return validate;
  }

  /** The validators of the alternatives of a schema's `oneOf` or `anyOf`; empty if the schema is not found. */
  alternatives(schema: unknown, keyword: string): ValidateFunction[] {
    const location = this.#locate(schema);
    const list = isJsonObject(location?.schema) ? location.schema[keyword] : undefined;
    if (!location || !Array.isArray(list)) return [];
    const found = list.map((_, index) =>
      attempt(() => this.ajv.getSchema(`${location.file}#${location.pointer}/${keyword}/${index}`)),
    );
    return found.filter((validate) => typeof validate === "function");
  }

  /** All parts of a schema, including those it refers to. */
  reachable(part: unknown, found = new Set<unknown>()): ReadonlySet<unknown> {
    if (typeof part !== "object" || part === null || found.has(part)) return found;
    found.add(part);
    for (const value of Object.values(part)) this.reachable(value, found);
    const location = this.#locate(part);
    const reference = isJsonObject(location?.schema) ? location.schema["$ref"] : undefined;
    if (location && typeof reference === "string") {
      const [file = "", pointer = ""] = reference.split("#");
      this.reachable(atPointer(this.#schemas.get(file === "" ? location.file : file), pointer), found);
    }
    return found;
  }

  #locate(schema: unknown): SchemaLocation | undefined {
    this.#locations ??= locateAll(this.#schemas);
    return this.#locations.get(schema);
  }
}

interface SchemaLocation {
  readonly file: string;
  readonly pointer: string;
  readonly schema: JsonValue;
}

/** The file and JSON pointer of each object within the schemas. */
function locateAll(schemas: ReadonlyMap<string, JsonValue>): ReadonlyMap<unknown, SchemaLocation> {
  const locations = new Map<unknown, SchemaLocation>();
  function note(schema: JsonValue, file: string, pointer: string): void {
    if (typeof schema !== "object" || schema === null) return;
    locations.set(schema, { file, pointer, schema });
    for (const [key, part] of Object.entries(schema)) {
      note(part, file, `${pointer}/${encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))}`);
    }
  }
  for (const [file, schema] of schemas) note(schema, file, "");
  note(draft6Schema, draft6Path, "");
  return locations;
}

/** A schema that only refers to itself compiles, but its validation never ends: that is the RangeError. */
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
