import { isList, isPlainMap } from "./kind.ts";
import { Bytes, Complex, GoMap, Int, Named, Slice, Struct, TypedNil } from "./typed-values.ts";
import type { GoObject, GoValue } from "./value.ts";

/** Go's truth: false for zero, nil, no value, and what is empty; a struct is always true. */
export function isTrue(value: GoValue): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === "boolean") return value;
  if (typeof value === "string") return value !== "";
  if (typeof value === "number") return value !== 0;
  if (isList(value)) return value.length > 0;
  if (isPlainMap(value)) return hasKey(value);
  if (value instanceof Int) return value.value !== 0n;
  if (value instanceof Complex) return value.real !== 0 || value.imaginary !== 0;
  if (value instanceof Struct) return true;
  if (value instanceof TypedNil) return false;
  if (value instanceof Named) return isTrue(value.underlying);
  if (value instanceof Slice) return value.items.length > 0;
  if (value instanceof Bytes) return value.bytes.length > 0;
  if (value instanceof GoMap) return value.entries.size > 0;
  return hasKey(value);
}

/** Up to so many keys are read each time. */
const fewKeys = 16;

/** The keys of large maps when they were read last, and the first of them that was there when it was looked for last. */
const keysOf = new WeakMap<GoObject, { readonly keys: readonly string[]; at: number }>();

/** JavaScript reads all keys to find one, and a template may ask as often as it has steps. */
function hasKey(map: GoObject): boolean {
  const known = keysOf.get(map);
  if (known) {
    for (; known.at < known.keys.length; known.at += 1) if (Object.hasOwn(map, known.keys[known.at]!)) return true;
  }
  const keys = Object.keys(map);
  if (keys.length > fewKeys) keysOf.set(map, { keys, at: 0 });
  return keys.length > 0;
}
