import {
  type Budget,
  FunctionError,
  type GoFunction,
  goFunction,
  GoMap,
  type GoObject,
  type GoValue,
  isGoObject,
  isTrue,
  kindName,
  mapView,
  Named,
  newMap,
  checkDepth,
  Slice,
  sortedKeys,
  Struct,
  TypedNil,
  typeName,
  variadicFunction,
} from "#golang";
import { keepingPlace } from "../keeps-place.ts";
import { strval } from "./strval.ts";

/** The nil `map[string]interface{}`: it prints as an empty map, and as null in JSON. */
const nilMap = new TypedNil("map[string]interface {}");

/** Whether an argument for a map was nil: it is then an empty map that is frozen. */
function isNilMap(map: GoObject): boolean {
  return Object.isFrozen(map) && Object.keys(map).length === 0;
}

/** Go's `map[key] = value`. `__proto__` is an ordinary key. */
function setKey(map: GoObject, key: string, value: GoValue): void {
  if (Object.isFrozen(map)) throw new FunctionError("assignment to entry in nil map");
  if (key === "__proto__")
    Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true });
  else map[key] = value;
}

/** Maps. Go gives keys and values in random order; here they are sorted by key. */
export const dicts: Record<string, GoFunction> = {
  dict: keepingPlace(
    variadicFunction([], "any", (values, { budget }) => {
      const map = newMap();
      for (let at = 0; at < values.length; at += 2)
        map[strval(values[at], budget)] = at + 1 < values.length ? values[at + 1] : "";
      return map;
    }),
  ),
  get: keepingPlace(
    goFunction(["map[string]any", "string"], ([map, key]) => (Object.hasOwn(map, key) ? map[key] : "")),
  ),
  set: goFunction(["map[string]any", "string", "any"], ([map, key, value]) => {
    setKey(map, key, value);
    return map;
  }),
  unset: goFunction(["map[string]any", "string"], ([map, key]) => {
    if (isNilMap(map)) return nilMap;
    delete map[key];
    return map;
  }),
  hasKey: keepingPlace(goFunction(["map[string]any", "string"], ([map, key]) => Object.hasOwn(map, key))),
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

/** Go's `value.(map[string]interface{})`, which fails for other types of maps. */
function asMap(value: GoValue): GoObject {
  if (isGoObject(value)) return value;
  if (value instanceof TypedNil && value.type === "map[string]interface {}") return nothing;
  throw wrongType(value, "map[string]interface {}");
}

function asString(value: GoValue): string {
  if (typeof value === "string") return value;
  throw wrongType(value, "string");
}

function wrongType(value: GoValue, expected: string): FunctionError {
  const type = value === null || value === undefined ? "nil" : typeName(value);
  return new FunctionError(`interface conversion: interface {} is ${type}, not ${expected}`);
}

/** Merges maps into the first one as mergo does: that one is changed, and shares what it took from the others. */
export const merging: Record<string, GoFunction> = {
  merge: mergeFunction({ overwrites: false, complains: false }),
  mustMerge: mergeFunction({ overwrites: false, complains: true }),
  mergeOverwrite: mergeFunction({ overwrites: true, complains: false }),
  mustMergeOverwrite: mergeFunction({ overwrites: true, complains: true }),
};

/** What mergo returns as an error; `merge` gives an empty text instead of it. */
class MergeError extends FunctionError {}

function mergeFunction({ overwrites, complains }: { overwrites: boolean; complains: boolean }): GoFunction {
  return variadicFunction(["map[string]any"], "map[string]any", ([first, ...others], { budget }) => {
    const sources = others.filter((source) => !isNilMap(source));
    if (isNilMap(first) && sources.length === 0) return nilMap;
    const target = isNilMap(first) ? newMap() : first;
    try {
      for (const source of sources) mergeMaps(target, source, { overwrites, budget, depth: 0 });
    } catch (error) {
      if (error instanceof MergeError && !complains) return "";
      throw error;
    }
    return target;
  });
}

interface MergeState {
  readonly overwrites: boolean;
  readonly budget: Budget;
  readonly depth: number;
}

function mergeMaps(target: GoValue, source: GoValue, state: MergeState): void {
  const { overwrites, budget, depth } = state;
  checkDepth(depth);
  const from = mapView(source);
  const to = mapView(target);
  if (!from || !to) return;
  for (const key of from.keys()) {
    budget.step();
    const value = from.get(key);
    if (value === null || value === undefined) {
      if (overwrites) put(target, key, value, source);
      continue;
    }
    const old = to.get(key);
    const kind = kindName(value);
    if (kind === "map" || kind === "struct" || kind === "ptr") mergeParts(old, value, state);
    if (kind === "map" && isTrue(old) && kindName(old) === "map") continue;
    if (overwrites || !isTrue(old)) put(target, key, value, source);
  }
}

/** What has parts is merged where it is. Only maps can be changed there; of others, mergo notices some that do not fit. */
function mergeParts(old: GoValue, value: GoValue, state: MergeState): void {
  const kind = kindName(value);
  if (kindName(old) === "map") {
    if (kind === "map" && !(old instanceof TypedNil)) mergeMaps(old, value, { ...state, depth: state.depth + 1 });
    return;
  }
  if (!(old instanceof Struct)) return;
  if (kindName(old) === "ptr") {
    if (kind !== "ptr" && !state.overwrites) throw new MergeError("src and dst must be of same type");
  } else if (old.details.fields && Object.keys(old.details.fields).length > 0 && kind !== "struct") {
    throw new FunctionError(`reflect: call of reflect.Value.Field on ${kind} Value`);
  }
}

/** Writes into any kind of map. The elements of a `map[string]string` must come from such a map. */
function put(target: GoValue, key: string, value: GoValue, source: GoValue): void {
  const map = target instanceof Named ? target.underlying : target;
  if (isGoObject(map)) setKey(map, key, value);
  if (!(map instanceof GoMap)) return;
  const type = source instanceof GoMap ? source.element : "interface {}";
  if (type !== map.element)
    throw new FunctionError(
      `reflect.Value.SetMapIndex: value of type ${type} is not assignable to type ${map.element}`,
    );
  if (map.entries instanceof Map) map.entries.set(key, value);
}
