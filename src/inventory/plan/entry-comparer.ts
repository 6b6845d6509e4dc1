import { compareObjects, type ObjectComparison } from "../compare/compare-objects.ts";
import { findIgnored, uniteIgnored } from "../compare/ignored-fields.ts";
import { managedEntries } from "../compare/held-fields.ts";
import type { ManagedObject } from "../object/managed-object.ts";
import { type Autoscaling, replicasOf, scaledKey } from "../object/autoscaling.ts";
import type { InventoryEntry } from "../resource-inventory.ts";
import type { PlanOptions } from "./plan.ts";

export interface EntryComparison extends ObjectComparison {
  /** Why replicas that differ are left as they are, although nothing is known to scale the object. */
  readonly unread: Autoscaling["unread"];
}

export type CompareInEntry = (entry: InventoryEntry, wanted: ManagedObject, current: ManagedObject) => EntryComparison;

/** Compares objects of an inventory, but for what is ignored and for replicas that are left to an autoscaler. */
export function entryComparer({
  fieldManager,
  ignoreDifferences,
}: Pick<PlanOptions, "fieldManager" | "ignoreDifferences">): CompareInEntry {
  const find = findIgnored(ignoreDifferences);
  return (entry, wanted, current) => {
    const found = find(entry, wanted, current);
    const isLeft = isScaled(entry, wanted, current);
    const ignored = isLeft ? uniteIgnored(found, replicas) : found;
    const differs = isLeft && replicasOf(wanted) !== replicasOf(current);
    const unread = differs ? entry.autoscaling?.unread : undefined;
    return { ...compareObjects(wanted, current, { fieldManager, ignored }), unread };
  };
}

const replicas = { paths: [["spec", "replicas"]], managers: new Set<string>() };

/** Autoscalers write the subresource `scale`: without the right to read them, replicas written otherwise are not theirs. */
function isScaled({ autoscaling }: InventoryEntry, wanted: ManagedObject, current: ManagedObject): boolean {
  if (!autoscaling) return false;
  const { targets, unread } = autoscaling;
  if (!unread) return targets.has(scaledKey(wanted));
  return !unread.isForbidden || managedEntries(current.body).some(({ subresource }) => subresource === "scale");
}
