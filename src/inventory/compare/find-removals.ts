import type { FieldPath } from "#base";
import { isApplied, isDeployer } from "./field-managers.ts";
import { childrenOf, type FieldSet, isMember, uniteFields } from "./field-set.ts";
import type { FieldChange } from "./find-differences.ts";
import { type Exact, type ExactMap, isExactList, isExactMap, mapAt } from "../object/exact.ts";
import { annotation, ownerOf, stamps } from "../object/attribution.ts";

/** What an apply takes away: fields that count as ours, that nobody else holds, and that are not wanted any more. */
export function findRemovals(desired: ExactMap, current: ExactMap, fieldManager: string): FieldChange[] {
  const { ours, others } = holdersOf(current, fieldManager);
  const removals: FieldChange[] = [];
  compareHeld({ ours, others }, current, desired, [], removals);
  return removals;
}

interface Held {
  readonly ours: FieldSet;
  readonly others: FieldSet;
}

/** Of an object that has an owner, what old tools hold becomes ours with the first apply: see `inheritFields`. */
function holdersOf(current: ExactMap, fieldManager: string): Held {
  const metadata = mapAt(current, "metadata");
  const noted = metadata["managedFields"];
  const entries = isExactList(noted) ? noted.filter(isExactMap) : [];
  const isOurs = entries.some((entry) => isApplied(entry, fieldManager))
    ? (entry: ExactMap) => isApplied(entry, fieldManager)
    : (entry: ExactMap) => isDeployer(entry) && ownerOf(metadata) !== undefined;
  return { ours: fieldsOf(entries.filter(isOurs)), others: fieldsOf(entries.filter((entry) => !isOurs(entry))) };
}

function fieldsOf(entries: readonly ExactMap[]): FieldSet {
  return entries.reduce<FieldSet>((all, entry) => uniteFields(all, mapAt(entry, "fieldsV1")), {});
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

interface Step {
  readonly segment: string | number;
  readonly value: Exact;
}

/** `f:` is a field, `k:` an item of a list by its keys, `v:` one by its value, `i:` one by its place. */
function stepInto(value: Exact | undefined, key: string): Step | undefined {
  const name = key.slice(2);
  if (key.startsWith("f:")) {
    const field = isExactMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    return field === undefined ? undefined : { segment: name, value: field };
  }
  if (!isExactList(value)) return undefined;
  const given: Exact = JSON.parse(name);
  const segment = key.startsWith("i:") ? Number(name) : value.findIndex((item) => isItem(item, given));
  const item = value[segment];
  return item === undefined ? undefined : { segment, value: item };
}

function isItem(item: Exact, given: Exact): boolean {
  if (!isExactMap(given)) return item === given;
  // The only key of a list that people may leave out.
  const valueOf = (key: string) => (isExactMap(item) ? item[key] : undefined) ?? (key === "protocol" ? "TCP" : null);
  return Object.entries(given).every(([key, value]) => valueOf(key) === value);
}

function isStamp(path: FieldPath, key: string | number): boolean {
  if (path.length !== 2 || path[0] !== "metadata" || path[1] !== "annotations") return false;
  return typeof key === "string" && (stamps.has(key) || key === annotation.lastApplied);
}
