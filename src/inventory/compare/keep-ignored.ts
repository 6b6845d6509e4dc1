import type { FieldPath } from "#base";
import { isApplied } from "./field-managers.ts";
import { childrenOf, type FieldSet, isEmptySet } from "./field-set.ts";
import { managedEntries, stepInto } from "./held-fields.ts";
import type { IgnoredFields } from "./ignored-fields.ts";
import { keyOfItems } from "./merge-keys.ts";
import { type Exact, type ExactMap, isExactList, isExactMap, mapAt } from "../object/exact.ts";

/**
 * The desired object with the live values of all fields that are ignored. It is compared and sent in place of the desired one: a
 * field that an apply leaves out would be removed, if no other manager holds it.
 */
export function keepIgnored(
  desired: ExactMap,
  live: ExactMap,
  { paths, held }: { readonly paths: IgnoredFields["paths"]; readonly held: readonly FieldSet[] },
): ExactMap {
  let kept: Exact = desired;
  for (const path of paths) kept = keepAt(kept, live, path) ?? kept;
  for (const fields of held) kept = keepHeld(kept, live, fields);
  return isExactMap(kept) ? kept : desired;
}

/** The fields of managers to which they are left; never our own, or nothing would ever change. */
export function fieldsHeldBy(
  current: ExactMap,
  { managers }: Pick<IgnoredFields, "managers">,
  fieldManager: string,
): FieldSet[] {
  if (managers.size === 0) return [];
  return managedEntries(current)
    .filter(({ manager }) => typeof manager === "string" && managers.has(manager))
    .filter((entry) => !isApplied(entry, fieldManager))
    .map((entry) => mapAt(entry, "fieldsV1"));
}

/** Whether a field is ignored because of its path. */
export function isIgnoredPath(path: FieldPath, { paths }: IgnoredFields): boolean {
  return paths.some(
    (ignored) =>
      ignored.length <= path.length && ignored.every((step, index) => step === "*" || step === String(path[index])),
  );
}

/** The value with the live one at the end of the path; what the live object does not reach stays as desired. */
function keepAt(desired: Exact, live: Exact | undefined, path: readonly string[], list = ""): Exact | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return live;
  if (isExactMap(desired) && isExactMap(live)) {
    const kept: { [key: string]: Exact } = {};
    for (const [key, value] of Object.entries(desired)) {
      const isMeant = step === "*" || step === key;
      const next = isMeant ? keepAt(value, Object.hasOwn(live, key) ? live[key] : undefined, rest, key) : value;
      if (next !== undefined) kept[key] = next;
    }
    return kept;
  }
  if (!isExactList(desired) || !isExactList(live)) return desired;
  return desired.flatMap((item, index) => {
    if (step !== "*" && step !== String(index)) return [item];
    return keepAt(item, live[placeIn(live, item, index, list)], rest) ?? [];
  });
}

/** Where the item of one list is in another: by its merge key, else by its position. */
function placeIn(list: readonly Exact[], item: Exact, index: number, name: string): number {
  const keyOf = keyOfItems(name);
  const key = keyOf?.(item);
  return keyOf && key !== undefined ? list.findIndex((other) => keyOf(other) === key) : index;
}

/** The value with the live ones of all its fields that are in a set. */
function keepHeld(desired: Exact, live: Exact, held: FieldSet): Exact {
  let kept = desired;
  for (const [key, node] of Object.entries(held)) {
    const [wanted, found] = key === "." ? [] : [stepInto(kept, key), stepInto(live, key)];
    if (!wanted || !found) continue;
    const below = childrenOf(node);
    kept = replaced(kept, wanted.segment, isEmptySet(below) ? found.value : keepHeld(wanted.value, found.value, below));
  }
  return kept;
}

function replaced(value: Exact, segment: string | number, next: Exact): Exact {
  if (typeof segment === "number") return isExactList(value) ? value.with(segment, next) : value;
  return isExactMap(value) ? { ...value, [segment]: next } : value;
}

/** The desired object with a field that only the live one has, at a path in the live one. */
export function keepField(desired: ExactMap, live: ExactMap, path: FieldPath): ExactMap {
  const kept = withField(desired, live, path);
  return isExactMap(kept) ? kept : desired;
}

function withField(desired: Exact | undefined, live: Exact | undefined, path: FieldPath, list = ""): Exact | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return live;
  if (typeof step === "string") {
    const [fields, found] = [isExactMap(desired) ? desired : {}, isExactMap(live) ? live[step] : undefined];
    const next = withField(fields[step], found, rest, step);
    return next === undefined ? desired : { ...fields, [step]: next };
  }
  const item = isExactList(live) ? live[step] : undefined;
  if (!isExactList(desired) || item === undefined) return desired;
  const place = placeIn(desired, item, step, list);
  const next = withField(desired[place], item, rest);
  return place < 0 || next === undefined ? desired : desired.with(place, next);
}
