import type { FieldPath } from "#base";
import { type Exact, type ExactObject, isExactList, isExactObject, WholeFloat } from "../resource/exact.ts";
import { mergeKeys } from "./merge-keys.ts";
import { areSameCpu, areSameQuantity } from "./quantity.ts";

/** One field that is not as it is wanted; what is absent is `undefined`. */
export interface FieldChange {
  readonly path: FieldPath;
  readonly before: Exact | undefined;
  readonly after: Exact | undefined;
}

/** Maps in which an empty text says something; elsewhere the API server does not keep what is empty. */
const mapsOfTexts = new Set([
  "labels",
  "annotations",
  "data",
  "binaryData",
  "stringData",
  "matchLabels",
  "nodeSelector",
  "selector",
]);
const mapsOfQuantities = new Set(["requests", "limits", "capacity", "hard"]);
const quantities = new Set(["sizeLimit", "storage", "divisor"]);

/** All that `desired` has and `current` lacks or has otherwise, in the order of `desired`. What only `current` has is not ours. */
export function findDifferences(desired: ExactObject, current: ExactObject): FieldChange[] {
  const changes: FieldChange[] = [];
  compareMaps(desired, current, [], changes);
  return changes;
}

function compareMaps(desired: ExactObject, current: ExactObject, path: FieldPath, changes: FieldChange[]): void {
  for (const key of Object.keys(desired)) {
    const wanted = desired[key];
    if (wanted === undefined || wanted === null) continue;
    const found = Object.hasOwn(current, key) ? (current[key] ?? undefined) : undefined;
    if (found === wanted) continue;
    compareValues(wanted, found, path, key, changes);
  }
}

function compareValues(
  wanted: Exact,
  found: Exact | undefined,
  parent: FieldPath,
  key: string | number,
  changes: FieldChange[],
): void {
  if (found === undefined) {
    if (!isLeftOut(wanted, parent)) changes.push({ path: [...parent, key], before: undefined, after: wanted });
    return;
  }
  if (isExactObject(wanted) && isExactObject(found)) return compareMaps(wanted, found, [...parent, key], changes);
  if (isExactList(wanted) && isExactList(found)) return compareLists(wanted, found, [...parent, key], changes);
  if (!isSameScalar(wanted, found, parent, key)) changes.push({ path: [...parent, key], before: found, after: wanted });
}

function compareLists(
  wanted: readonly Exact[],
  found: readonly Exact[],
  path: FieldPath,
  changes: FieldChange[],
): void {
  const list = path.at(-1);
  const name = typeof list === "string" ? list : undefined;
  const wantedKeys = mergeKeys(name, wanted);
  const foundKeys = wantedKeys && mergeKeys(name, found);
  if (wantedKeys && foundKeys && new Set(wantedKeys).size === wantedKeys.length) {
    compareByKeys({ wanted, found, wantedKeys, foundKeys }, path, changes);
    return;
  }
  const before = changes.length;
  for (const [index, item] of wanted.entries()) {
    if (index < found.length && item !== found[index]) compareItems(item, found[index] ?? null, path, index, changes);
  }
  if (wanted.length !== found.length) {
    changes.length = before;
    changes.push({ path, before: found, after: wanted });
  }
}

/** In a list, unlike in a map, a null is something. */
function compareItems(wanted: Exact, found: Exact, parent: FieldPath, index: number, changes: FieldChange[]): void {
  if (wanted !== null && found !== null) compareValues(wanted, found, parent, index, changes);
  else if (wanted !== found) changes.push({ path: [...parent, index], before: found, after: wanted });
}

interface KeyedLists {
  readonly wanted: readonly Exact[];
  readonly found: readonly Exact[];
  readonly wantedKeys: readonly string[];
  readonly foundKeys: readonly string[];
}

/** Items of others stay where they stand; ours must be there, be equal, and follow each other as we want them to. */
function compareByKeys(
  { wanted, found, wantedKeys, foundKeys }: KeyedLists,
  path: FieldPath,
  changes: FieldChange[],
): void {
  const before = changes.length;
  let last = -1;
  let isOrdered = true;
  for (const [index, item] of wanted.entries()) {
    const at = foundKeys.indexOf(wantedKeys[index] ?? "");
    if (at < 0) {
      changes.push({ path: [...path, index], before: undefined, after: item });
      continue;
    }
    if (at < last) isOrdered = false;
    last = at;
    compareItems(item, found[at] ?? null, path, index, changes);
  }
  if (!isOrdered && changes.length === before) changes.push({ path, before: found, after: wanted });
}

function isSameScalar(wanted: Exact, found: Exact, parent: FieldPath, key: string | number): boolean {
  if (wanted === found) return true;
  if (wanted instanceof WholeFloat) return wanted.value === found;
  if (typeof wanted === "bigint" && typeof found === "number") return Number(wanted) === found;
  const holder = parent.at(-1);
  if (typeof holder === "string" && mapsOfQuantities.has(holder)) {
    return key === "cpu" ? areSameCpu(wanted, found) : areSameQuantity(wanted, found);
  }
  return typeof key === "string" && quantities.has(key) && areSameQuantity(wanted, found);
}

/** Whether the API server leaves the value out when it answers, so that its absence is no difference. */
function isLeftOut(wanted: Exact, parent: FieldPath): boolean {
  const holder = parent.at(-1);
  if (typeof holder === "string" && mapsOfTexts.has(holder)) return false;
  if (wanted === "" || wanted === false || wanted === 0) return true;
  if (isExactList(wanted)) return wanted.length === 0;
  return (
    isExactObject(wanted) && Object.values(wanted).every((value) => value === null || isLeftOut(value, [...parent, ""]))
  );
}
