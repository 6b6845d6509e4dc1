import { type ExactJsonValue, isYamlMap, WholeFloat } from "#yaml";
import { type FieldPath, formatFieldPath, type InputError } from "#base";
import { compareStrings, formatFloat } from "#golang";

type ExactJsonObject = Extract<ExactJsonValue, { readonly [key: string]: ExactJsonValue }>;

/** Makes the error for a field that has the wrong type; knows the file and the line. */
export type FieldFault = (path: FieldPath, what: string) => InputError;

/**
 * Reads typed fields of an object as Go's YAML library fills a struct: names in any case, null as absent, and a number or a
 * boolean as text for a string field.
 */
export class FieldReader {
  readonly #fields = new Map<string, ExactJsonValue>();
  readonly #path: FieldPath;
  readonly #fault: FieldFault;

  constructor(object: ExactJsonObject, path: FieldPath, fault: FieldFault) {
    this.#path = path;
    this.#fault = fault;
    for (const key of Object.keys(object).toSorted(compareStrings)) {
      const value = object[key] ?? null;
      if (value !== null) this.#fields.set(key.toLowerCase(), value);
    }
  }

  text(name: string, fallback = ""): string {
    const value = this.#get(name);
    return value === undefined ? fallback : this.#text(value, [...this.#path, name]);
  }

  flag(name: string, fallback = false): boolean {
    const value = this.#get(name);
    if (value === undefined) return fallback;
    if (typeof value === "boolean") return value;
    throw this.#fault([...this.#path, name], `${this.#name(name)} must be true or false`);
  }

  list(name: string): readonly ExactJsonValue[] | undefined {
    const value = this.#get(name);
    if (value === undefined) return undefined;
    if (isYamlList(value)) return value;
    throw this.#fault([...this.#path, name], `${this.#name(name)} must be a list`);
  }

  texts(name: string): readonly string[] | undefined {
    return this.list(name)?.map((item, index) => (item === null ? "" : this.#text(item, [...this.#path, name, index])));
  }

  textMap(name: string): ReadonlyMap<string, string> | undefined {
    const value = this.#get(name);
    if (value === undefined) return undefined;
    const path = [...this.#path, name];
    if (!isYamlMap(value)) throw this.#fault(path, `${this.#name(name)} must be a map`);
    return new Map(
      Object.entries(value).map(([key, item]) => [key, item === null ? "" : this.#text(item, [...path, key])]),
    );
  }

  /** The objects of a list; `undefined` for one that is null. */
  objects(name: string): readonly (FieldReader | undefined)[] | undefined {
    return this.list(name)?.map((item, index) => {
      if (item === null) return undefined;
      const path = [...this.#path, name, index];
      if (!isYamlMap(item)) throw this.#fault(path, `each of ${this.#name(name)} must be a map`);
      return new FieldReader(item, path, this.#fault);
    });
  }

  #get(name: string): ExactJsonValue | undefined {
    return this.#fields.get(name.toLowerCase());
  }

  #name(name: string): string {
    return formatFieldPath([...this.#path, name]);
  }

  #text(value: ExactJsonValue, path: FieldPath): string {
    const text = textOf(value);
    if (text === undefined) throw this.#fault(path, `${formatFieldPath(path)} must be text`);
    return text;
  }
}

function textOf(value: ExactJsonValue): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : formatFloat(value, "g", -1);
  return value instanceof WholeFloat ? formatFloat(value.value, "g", -1) : undefined;
}

function isYamlList(value: ExactJsonValue): value is Extract<ExactJsonValue, readonly unknown[]> {
  return Array.isArray(value);
}
