import { WholeFloat } from "#yaml";

/** JSON whose integers and floats are told apart; plain JSON is a case of it. */
export type Exact = null | boolean | number | bigint | string | WholeFloat | readonly Exact[] | ExactObject;

export interface ExactObject {
  readonly [key: string]: Exact;
}

export { WholeFloat };

export function isExactObject(value: Exact | undefined): value is ExactObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof WholeFloat);
}

export function isExactList(value: Exact | undefined): value is readonly Exact[] {
  return Array.isArray(value);
}

/** The map below a key; an empty one where there is none. */
export function mapAt(value: Exact | undefined, key: string): ExactObject {
  const found = isExactObject(value) ? value[key] : undefined;
  return isExactObject(found) ? found : {};
}

/** The same map without these keys: itself, if it has none of them. */
export function without(map: ExactObject, isDropped: (key: string, value: Exact) => boolean): ExactObject {
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
