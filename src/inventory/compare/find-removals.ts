import type { FieldPath } from "#base";
import { isApplied, isDeployer } from "./field-managers.ts";
import { childrenOf, type FieldSet, isMember, uniteFields } from "./field-set.ts";
import type { FieldChange } from "./find-changes.ts";
import { deployedFields, lastApplied, managedEntries, stepInto } from "./held-fields.ts";
import { annotation, ownerOf, stamps } from "../object/attribution.ts";
import { type Exact, type ExactMap, mapAt } from "../object/exact.ts";

/** What an apply removes: fields that are ours alone and no longer desired. */
export function findRemovals(desired: ExactMap, current: ExactMap, fieldManager: string): FieldChange[] {
  const { ours, others } = holdersOf(current, fieldManager);
  const removals: FieldChange[] = [];
  const metadata = mapAt(desired, "metadata");
  // There are always annotations: those of the owner.
  const sent = { ...desired, metadata: { ...metadata, annotations: mapAt(metadata, "annotations") } };
  compareHeld({ ours, others }, current, sent, [], removals);
  return removals;
}

interface Held {
  readonly ours: FieldSet;
  readonly others: FieldSet;
}

/** Of an object that has an owner, what old tools applied becomes ours with the first apply: see `inheritFields`. */
function holdersOf(current: ExactMap, fieldManager: string): Held {
  const metadata = mapAt(current, "metadata");
  const entries = managedEntries(current);
  if (ownerOf(metadata) === undefined || entries.some((entry) => isApplied(entry, fieldManager))) {
    const [ours, others] = split(entries, (entry) => isApplied(entry, fieldManager));
    return { ours: unite(ours.map(fieldsOf)), others: unite(others.map(fieldsOf)) };
  }
  const [deployers, others] = split(entries, isDeployer);
  const applied = lastApplied(metadata);
  return {
    ours: unite(deployers.map((entry) => deployedFields(entry, applied))),
    others: unite(others.map(fieldsOf)),
  };
}

function split(entries: readonly ExactMap[], isOurs: (entry: ExactMap) => boolean): [ExactMap[], ExactMap[]] {
  return [entries.filter(isOurs), entries.filter((entry) => !isOurs(entry))];
}

function fieldsOf(entry: ExactMap): FieldSet {
  return mapAt(entry, "fieldsV1");
}

function unite(sets: readonly FieldSet[]): FieldSet {
  return sets.reduce<FieldSet>(uniteFields, {});
}

function compareHeld(
  { ours, others }: Held,
  current: Exact,
  desired: Exact | undefined,
  path: FieldPath,
  removals: FieldChange[],
): void {
  for (const [key, node] of Object.entries(ours)) {
    const found = key === "." ? undefined : stepInto(current, key);
    if (!found || isStamp(path, found.segment)) continue;
    const wanted = stepInto(desired, key)?.value;
    const isShared = Object.hasOwn(others, key);
    const below = { ours: childrenOf(node), others: isShared ? childrenOf(others[key]) : {} };
    const here = [...path, found.segment];
    if (wanted === undefined && !isShared && isMember(below.ours)) {
      removals.push({ path: here, before: found.value, after: undefined });
    } else {
      compareHeld(below, found.value, wanted, here, removals);
    }
  }
}

function isStamp(path: FieldPath, key: string | number): boolean {
  if (path.length !== 2 || path[0] !== "metadata" || path[1] !== "annotations") return false;
  return typeof key === "string" && (stamps.has(key) || key === annotation.lastApplied);
}
