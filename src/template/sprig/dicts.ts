import {
  FunctionError,
  type GoFunction,
  goFunction,
  type GoObject,
  type GoValue,
  isGoObject,
  newMap,
  Slice,
  sortedKeys,
  TypedNil,
  typeName,
  variadicFunction,
} from "#golang";
import { isNilMap, nilMap, setKey } from "./map-entry.ts";
import { strval } from "./strval.ts";

/** Maps by name. Go gives keys and values in any order; ours is that of the keys. */
export const dicts: Record<string, GoFunction> = {
  dict: variadicFunction([], "any", (values, { budget }) => {
    const map = newMap();
    for (let at = 0; at < values.length; at += 2)
      map[strval(values[at], budget)] = at + 1 < values.length ? values[at + 1] : "";
    return map;
  }),
  get: goFunction(["map[string]any", "string"], ([map, key]) => (Object.hasOwn(map, key) ? map[key] : "")),
  set: goFunction(["map[string]any", "string", "any"], ([map, key, value]) => {
    setKey(map, key, value);
    return map;
  }),
  unset: goFunction(["map[string]any", "string"], ([map, key]) => {
    if (isNilMap(map)) return nilMap;
    delete map[key];
    return map;
  }),
  hasKey: goFunction(["map[string]any", "string"], ([map, key]) => Object.hasOwn(map, key)),
  keys: variadicFunction([], "map[string]any", (maps, { budget }) => {
    const keys = maps.flatMap(sortedKeys);
    budget.makeList(keys.length);
    return new Slice("string", keys);
  }),
  values: goFunction(["map[string]any"], ([map], { budget }) => {
    const keys = sortedKeys(map);
    budget.makeList(keys.length);
    return keys.map((key) => map[key]);
  }),
  pluck: variadicFunction(["string"], "map[string]any", ([key, ...maps]) =>
    maps.filter((map) => Object.hasOwn(map, key)).map((map) => map[key]),
  ),
  pick: variadicFunction(["map[string]any"], "string", ([map, ...keys]) =>
    newMap(keys.filter((key) => Object.hasOwn(map, key)).map((key) => [key, map[key]])),
  ),
  omit: variadicFunction(["map[string]any"], "string", ([map, ...keys], { budget }) => {
    const entries = Object.entries(map);
    budget.makeList(entries.length, 64);
    const omitted = new Set(keys);
    return newMap(entries.filter(([key]) => !omitted.has(key)));
  }),
  dig: variadicFunction([], "any", (values) => {
    if (values.length < 3) throw new FunctionError("dig needs at least three arguments");
    let value = values.at(-1);
    const fallback = values.at(-2);
    let map = asMap(value);
    const keys = values.slice(0, -2).map(asString);
    for (const [index, key] of keys.entries()) {
      if (index > 0) map = asMap(value);
      if (!Object.hasOwn(map, key)) return fallback;
      value = map[key];
    }
    return value;
  }),
};

const nothing = newMap();

/** Go's `value.(map[string]interface{})`: other types of maps are none. */
function asMap(value: GoValue): GoObject {
  if (isGoObject(value)) return value;
  if (value instanceof TypedNil && value.type === "map[string]interface {}") return nothing;
  throw wrongType(value, "map[string]interface {}");
}

function asString(value: GoValue): string {
  if (typeof value === "string") return value;
  throw wrongType(value, "string");
}

function wrongType(value: GoValue, wanted: string): FunctionError {
  const type = value === null || value === undefined ? "nil" : typeName(value);
  return new FunctionError(`interface conversion: interface {} is ${type}, not ${wanted}`);
}
