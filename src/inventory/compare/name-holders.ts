import type { FieldPath } from "#base";
import { isApplied, isDeployer } from "./field-managers.ts";
import { childrenOf, type FieldSet, isEmptySet } from "./field-set.ts";
import type { FieldChange } from "./find-changes.ts";
import { managedEntries, stepInto } from "./held-fields.ts";
import { type Exact, type ExactMap, isExactList, isExactMap, mapAt } from "../object/exact.ts";

/**
 * The changes with the field managers that the API server names for the values that they replace. Our own are not named, nor are
 * tools that deployed the object before we did.
 */
export function nameHolders(
  changes: readonly FieldChange[],
  desired: ExactMap,
  current: ExactMap,
  fieldManager: string,
): readonly FieldChange[] {
  const entries = managedEntries(current);
  const applied = entries.filter((entry) => isApplied(entry, fieldManager));
  const others = entries.filter(
    (entry) => entry["manager"] !== fieldManager && (applied.length > 0 || !isDeployer(entry)),
  );
  if (others.length === 0) return changes;
  return changes.map((change) => {
    if (change.before === undefined || change.after === undefined) return change;
    const holds = (entry: ExactMap) => isHeld(mapAt(entry, "fieldsV1"), desired, change.path);
    if (applied.some(holds)) return change;
    const names = new Set(
      others.filter(holds).flatMap(({ manager }) => (typeof manager === "string" ? [manager] : [])),
    );
    return names.size === 0 ? change : { ...change, manager: [...names].join(", ") };
  });
}

/** Whether a field, or anything below it, is in a set. The path is that of a desired object. */
function isHeld(fields: FieldSet, value: Exact | undefined, path: FieldPath): boolean {
  const [step, ...rest] = path;
  if (step === undefined) return true;
  if (typeof step === "string") {
    const below = Object.hasOwn(fields, `f:${step}`) ? childrenOf(fields[`f:${step}`]) : undefined;
    if (!below) return false;
    return isEmptySet(below) || isHeld(below, isExactMap(value) ? value[step] : undefined, rest);
  }
  const item = isExactList(value) ? value[step] : undefined;
  if (item === undefined) return false;
  const key = Object.keys(fields).find((each) => each.startsWith("k:") && stepInto([item], each));
  return key !== undefined && isHeld(childrenOf(fields[key]), item, rest);
}
