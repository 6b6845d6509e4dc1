import { compareStrings } from "./bytes.ts";
import { isGoObject } from "./kind.ts";
import { GoMap, Named, TypedNil } from "./typed-values.ts";
import type { GoObject, GoValue } from "./value.ts";

/** One way to read every kind of map. `keys` come in Go's order of printing and ranging. */
export interface MapView {
  readonly keys: () => readonly string[];
  readonly has: (key: string) => boolean;
  readonly get: (key: string) => GoValue;
  readonly size: () => number;
}

/** The keys of an object in Go's order. */
export function sortedKeys(object: GoObject): string[] {
  return Object.keys(object).toSorted(compareStrings);
}

/** The own property of a map; `undefined` where there is none, whatever its prototype offers. */
export function mapGet(object: GoObject, key: string): GoValue {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** What `Object.create(null)` makes is slow to read, as a table is; what a constructor makes is not. */
class Bare {
  [key: string]: GoValue;

  static {
    Object.setPrototypeOf(Bare.prototype, null);
    Reflect.deleteProperty(Bare.prototype, "constructor");
  }
}

/** A new `map[string]interface{}`, without a prototype, so that every key is an ordinary key. */
export function newMap(entries: Iterable<readonly [string, GoValue]> = []): GoObject {
  const map: GoObject = new Bare();
  for (const [key, value] of entries) map[key] = value;
  return map;
}

/** Reads any kind of map; `undefined` if the value is none. */
export function mapView(value: GoValue): MapView | undefined {
  if (value instanceof Named) return mapView(value.underlying);
  if (value instanceof TypedNil) return value.type.startsWith("map[") ? mapView(newMap()) : undefined;
  if (value instanceof GoMap) {
    const { entries } = value;
    return {
      keys: () => [...entries.keys()].toSorted(compareStrings),
      has: (key) => entries.has(key),
      get: (key) => entries.get(key),
      size: () => entries.size,
    };
  }
  if (!isGoObject(value)) return undefined;
  return {
    keys: () => sortedKeys(value),
    has: (key) => Object.hasOwn(value, key),
    get: (key) => mapGet(value, key),
    size: () => Object.keys(value).length,
  };
}
