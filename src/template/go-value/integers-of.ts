import { newMap } from "./map-view.ts";
import { Int } from "./typed-values.ts";
import type { GoValue } from "./value.ts";

/** The data with its integral numbers as int64, which is what Kubernetes makes of the integers of an object. */
export function integersOf(data: GoValue): GoValue {
  if (typeof data === "number") return Number.isSafeInteger(data) ? new Int("int64", BigInt(data)) : data;
  if (Array.isArray(data)) return data.map(integersOf);
  if (typeof data !== "object" || data === null) return data;
  const prototype: unknown = Object.getPrototypeOf(data);
  if (prototype !== null && prototype !== Object.prototype) return data;
  return newMap(Object.entries(data).map(([key, value]) => [key, integersOf(value)]));
}
