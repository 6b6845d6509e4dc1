import {
  type Budget,
  FunctionError,
  type GoFunction,
  GoMap,
  type GoValue,
  isGoObject,
  isTrue,
  kindName,
  mapView,
  Named,
  newMap,
  refuseDepth,
  Struct,
  TypedNil,
  variadicFunction,
} from "#golang";
import { isNilMap, nilMap, setKey } from "./map-entry.ts";

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
  refuseDepth(depth);
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
