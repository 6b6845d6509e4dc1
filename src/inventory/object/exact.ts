import { InputError, isJsonObject, type JsonObject, type JsonValue } from "#base";
import { WholeFloat } from "#yaml";

/** JSON that distinguishes integers from floats; plain JSON is a case of it. */
export type Exact = null | boolean | number | bigint | string | WholeFloat | readonly Exact[] | ExactMap;

export interface ExactMap {
  readonly [key: string]: Exact;
}

export { WholeFloat };

export function isExactMap(value: Exact | undefined): value is ExactMap {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof WholeFloat);
}

export function isExactList(value: Exact | undefined): value is readonly Exact[] {
  return Array.isArray(value);
}

/** The map below a key; an empty one where there is none. */
export function mapAt(value: Exact | undefined, key: string): ExactMap {
  const found = isExactMap(value) ? value[key] : undefined;
  return isExactMap(found) ? found : {};
}

/** The same map without these keys: itself, if it has none of them. */
export function without(map: ExactMap, isDropped: (key: string, value: Exact) => boolean): ExactMap {
  const keys = Object.keys(map);
  const first = keys.findIndex((key) => isDropped(key, map[key] ?? null));
  if (first < 0) return map;
  const kept: { [key: string]: Exact } = {};
  for (const [index, key] of keys.entries()) {
    const value = map[key];
    if (value !== undefined && (index < first || !isDropped(key, value))) kept[key] = value;
  }
  return kept;
}

/** The object as JSON that can be sent: itself, if it is. Refuses integers that JSON, as JavaScript writes it, would round. */
export function plainBody(body: ExactMap, where: string): JsonObject {
  const plain = isPlain(body) ? body : plainValue(body, where);
  return isJsonObject(plain) ? plain : {};
}

function isPlain(value: Exact): value is JsonValue {
  if (value === null || typeof value !== "object") return typeof value !== "bigint";
  if (value instanceof WholeFloat) return false;
  return (isExactList(value) ? value : Object.values(value)).every(isPlain);
}

function plainValue(value: Exact, where: string): JsonValue {
  if (typeof value === "bigint") {
    throw new InputError(`the integer ${value} is too large to be sent exactly`, { where, next: "put it in quotes" });
  }
  if (value instanceof WholeFloat) return value.value;
  if (value === null || typeof value !== "object") return value;
  if (isExactList(value)) return value.map((item) => plainValue(item, where));
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, plainValue(field, where)]));
}
