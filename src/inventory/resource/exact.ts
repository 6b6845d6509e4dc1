import { WholeFloat } from "#base";

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

/** The same map without these keys. */
export function without(map: ExactObject, isDropped: (key: string, value: Exact) => boolean): ExactObject {
  const kept: { [key: string]: Exact } = {};
  for (const [key, value] of Object.entries(map)) if (!isDropped(key, value)) kept[key] = value;
  return kept;
}
