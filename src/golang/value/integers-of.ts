import { newMap } from "./map-view.ts";
import { Int } from "./typed-values.ts";
import type { GoValue } from "./value.ts";

/** JSON as Kubernetes decodes it: integral numbers are int64, half a character is U+FFFD. */
export function integersOf(data: GoValue): GoValue {
  if (typeof data === "number") return Number.isSafeInteger(data) ? new Int("int64", BigInt(data)) : data;
  if (typeof data === "string") return data.toWellFormed();
  if (Array.isArray(data)) return data.map(integersOf);
  if (typeof data !== "object" || data === null) return data;
  const prototype: unknown = Object.getPrototypeOf(data);
  if (prototype !== null && prototype !== Object.prototype) return data;
  return newMap(Object.entries(data).map(([key, value]) => [key.toWellFormed(), integersOf(value)]));
}
