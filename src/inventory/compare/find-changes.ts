import type { FieldPath } from "#base";
import { type KeyOfItem, keyOfItems } from "./merge-keys.ts";
import { areSameCpu, areSameQuantity } from "./quantity.ts";
import { type Exact, type ExactMap, isExactList, isExactMap, WholeFloat } from "../object/exact.ts";

/** One field that is not as desired; what is absent is `undefined`. */
export interface FieldChange {
  readonly path: FieldPath;
  readonly before: Exact | undefined;
  readonly after: Exact | undefined;
  /** The field managers that hold `before`, if we do not; names as in the object's managedFields. */
  readonly manager?: string | undefined;
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

/**
 * Fields that the API server keeps although they are empty, because their absence means something else: the default, no limit, or
 * everything.
 */
const keptIfEmpty = new Set<unknown>([
  "allowPrivilegeEscalation",
  "automountServiceAccountToken",
  "emptyDir",
  "fsGroup",
  "hostUsers",
  "maxUnavailable",
  "minAvailable",
  "namespaceSelector",
  "podSelector",
  "runAsGroup",
  "runAsUser",
  "startingDeadlineSeconds",
  "storageClassName",
  "tolerationSeconds",
  "ttlSecondsAfterFinished",
]);

type Key = string | number;

/** All fields of `desired` that `current` lacks or that differ, in the order of `desired`. What only `current` has is not ours. */
export function findDifferences(desired: ExactMap, current: ExactMap): FieldChange[] {
  const found = new Differences();
  found.compareMaps(desired, current);
  return found.changes;
}

/** Most objects are as desired, so walking through one allocates nothing that only a change needs. */
class Differences {
  readonly changes: FieldChange[] = [];
  /** Where we are. */
  readonly #path: Key[] = [];

  compareMaps(desired: ExactMap, current: ExactMap): void {
    for (const key of Object.keys(desired)) {
      const wanted = desired[key];
      const found = current[key];
      if (found === wanted || wanted === undefined || wanted === null) continue;
      this.#compareValues(wanted, Object.hasOwn(current, key) ? (found ?? undefined) : undefined, key);
    }
  }

  #compareValues(wanted: Exact, found: Exact | undefined, key: Key): void {
    const holder = this.#path.at(-1);
    if (found === undefined) {
      if (!isLeftOut(wanted, holder, key)) this.#note(key, undefined, wanted);
    } else if (isExactMap(wanted) && isExactMap(found)) {
      this.#path.push(key);
      this.compareMaps(wanted, found);
      this.#path.pop();
    } else if (isExactList(wanted) && isExactList(found)) {
      this.#compareLists(wanted, found, key);
    } else if (!isSameScalar(wanted, found, holder, key)) {
      this.#note(key, found, wanted);
    }
  }

  #compareLists(wanted: readonly Exact[], found: readonly Exact[], key: Key): void {
    const keyOf = typeof key === "string" ? keyOfItems(key) : undefined;
    const places = keyOf && !areAligned(wanted, found, keyOf) ? placesOf(wanted, found, keyOf) : undefined;
    const before = this.changes.length;
    this.#path.push(key);
    for (let index = 0; index < wanted.length; index += 1) {
      const item = wanted[index] ?? null;
      const place = places ? places[index] : index;
      if (place === undefined) this.#note(index, undefined, item);
      else if (place < found.length) this.#compareItems(item, found[place] ?? null, index);
    }
    this.#path.pop();
    const isOther = places ? this.changes.length === before && !isAscending(places) : wanted.length !== found.length;
    if (!isOther) return;
    this.changes.length = before;
    this.#note(key, found, wanted);
  }

  /** In a list, unlike in a map, a null is something. */
  #compareItems(wanted: Exact, found: Exact, index: number): void {
    if (wanted === found) return;
    if (wanted !== null && found !== null) this.#compareValues(wanted, found, index);
    else this.#note(index, found, wanted);
  }

  #note(key: Key, before: Exact | undefined, after: Exact): void {
    this.changes.push({ path: [...this.#path, key], before, after });
  }
}

/** Whether both have items of the same keys at the same places, as they nearly always do. */
function areAligned(wanted: readonly Exact[], found: readonly Exact[], keyOf: KeyOfItem): boolean {
  if (wanted.length !== found.length) return false;
  for (let index = 0; index < wanted.length; index += 1) {
    const key = keyOf(wanted[index] ?? null);
    if (key === undefined || key !== keyOf(found[index] ?? null)) return false;
  }
  return true;
}

/**
 * Where the items that are wanted stand in what was found: those of others stay where they are, and ours must be there, be equal, and
 * follow each other as we want them to. `undefined` if two of them look the same.
 */
function placesOf(
  wanted: readonly Exact[],
  found: readonly Exact[],
  keyOf: KeyOfItem,
): readonly (number | undefined)[] | undefined {
  const wantedKeys = wanted.map(keyOf);
  const foundKeys = found.map(keyOf);
  if (wantedKeys.includes(undefined) || foundKeys.includes(undefined)) return undefined;
  if (new Set(wantedKeys).size < wantedKeys.length) return undefined;
  // Backwards, so that the first of a key wins.
  const places = new Map(foundKeys.map((key, index) => [key, index] as const).toReversed());
  return wantedKeys.map((key) => places.get(key));
}

function isAscending(places: readonly (number | undefined)[]): boolean {
  const known = places.filter((place) => place !== undefined);
  return known.every((place, index) => index === 0 || place > (known[index - 1] ?? place));
}

function isSameScalar(wanted: Exact, found: Exact, holder: Key | undefined, key: Key): boolean {
  if (wanted === found) return true;
  if (wanted instanceof WholeFloat) return wanted.value === found;
  if (typeof wanted === "bigint" && typeof found === "number") return Number(wanted) === found;
  if (typeof holder === "string" && mapsOfQuantities.has(holder)) {
    return key === "cpu" ? areSameCpu(wanted, found) : areSameQuantity(wanted, found);
  }
  return typeof key === "string" && quantities.has(key) && areSameQuantity(wanted, found);
}

/** Whether the API server omits the value from its answers, so that its absence is not a difference. */
function isLeftOut(wanted: Exact, holder: Key | undefined, key: Key): boolean {
  if (keptIfEmpty.has(key)) return wanted === null;
  const isNested = isExactList(wanted) || isExactMap(wanted);
  // The selector of a Service is a map of texts; that of a workload has lists and maps, which are left out if they are empty.
  if (!isNested && typeof holder === "string" && mapsOfTexts.has(holder)) return false;
  if (wanted === null || wanted === "" || wanted === false || wanted === 0) return true;
  if (isExactList(wanted)) return wanted.length === 0;
  return isExactMap(wanted) && Object.entries(wanted).every(([field, value]) => isLeftOut(value, key, field));
}
