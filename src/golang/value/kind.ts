import { Bytes, Complex, GoMap, Int, Named, Slice, Struct, TypedNil } from "./typed-values.ts";
import type { GoObject, GoValue } from "./value.ts";

/** Go's type of a value, as `%T` prints it; `<nil>` for nil and for no value. */
export function typeName(value: GoValue): string {
  if (typeof value === "string") return "string";
  if (typeof value === "number") return "float64";
  if (typeof value === "boolean") return "bool";
  if (value === undefined || value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (value instanceof Int) return value.kind;
  if (value instanceof Complex) return "complex128";
  if (value instanceof Slice) return `[]${value.element}`;
  if (value instanceof GoMap) return `map[${value.key}]${value.element}`;
  if (value instanceof Bytes) return "[]uint8";
  if (value instanceof Struct || value instanceof Named || value instanceof TypedNil) return value.type;
  return "map[string]interface {}";
}

/** Go's `reflect.Kind` of a value: "string", "int64", "map", "slice", "struct", "ptr", …; "invalid" for nil and for no value. */
export function kindName(value: GoValue): string {
  if (typeof value === "string") return "string";
  if (typeof value === "number") return "float64";
  if (typeof value === "boolean") return "bool";
  if (value === undefined || value === null) return "invalid";
  if (value instanceof Int) return value.kind;
  if (value instanceof Complex) return "complex128";
  if (Array.isArray(value) || value instanceof Slice || value instanceof Bytes) return "slice";
  if (value instanceof Struct) return value.type.startsWith("*") ? "ptr" : "struct";
  if (value instanceof Named) return kindName(value.underlying);
  if (value instanceof TypedNil)
    return value.type.startsWith("map") ? "map" : value.type.startsWith("[]") ? "slice" : "ptr";
  return "map";
}

/** Whether the value is an array, our `[]interface{}`. `Array.isArray` would not tell TypeScript so of a readonly one. */
export function isList(value: GoValue): value is readonly GoValue[] {
  return Array.isArray(value);
}

/** The elements of a value that is a slice; `undefined` if it is none. Bytes are `uint8`s. */
export function elementsOf(value: GoValue): readonly GoValue[] | undefined {
  if (Array.isArray(value)) return value;
  if (value instanceof Slice) return value.items;
  if (value instanceof Bytes) return Array.from(value.bytes, (byte) => new Int("uint8", BigInt(byte)));
  if (value instanceof Named) return elementsOf(value.underlying);
  if (value instanceof TypedNil && value.type.startsWith("[]")) return [];
  return undefined;
}

/**
 * Whether the value is certainly a plain object, by its constructor: one check instead of one for each of our types. False also
 * for an object with a key `constructor`.
 */
export function isPlainMap(value: GoValue): value is GoObject {
  if (typeof value !== "object" || value === null) return false;
  const maker: unknown = value.constructor;
  return maker === Object || maker === undefined;
}

/** Whether the value is a plain object, our `map[string]interface{}`. */
export function isGoObject(value: GoValue): value is GoObject {
  if (isPlainMap(value)) return true;
  return kindName(value) === "map" && !(value instanceof GoMap || value instanceof Named || value instanceof TypedNil);
}
