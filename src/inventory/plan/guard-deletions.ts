import type { Action, PlanOptions, PlanRefusal } from "./plan.ts";
import type { InventoryEntry } from "../resource-inventory.ts";

const alwaysAllowed = 5;

/** Holds deletions back that look like an accident, until they are confirmed. */
export function guardDeletions(
  deletions: readonly Action[],
  entries: readonly InventoryEntry[],
  options: PlanOptions,
): { readonly allowed: readonly Action[]; readonly refused: readonly PlanRefusal[] } {
  if (options.deletionsConfirmed || deletions.length === 0) return { allowed: deletions, refused: [] };
  const accident = wholeAccident(deletions, entries, options);
  if (accident !== undefined) return { allowed: [], refused: deletions.map((deletion) => refusal(deletion, accident)) };
  const left = attributionsWanted(entries);
  const allowed: Action[] = [];
  const refused: PlanRefusal[] = [];
  for (const deletion of deletions) {
    const { attribution } = deletion;
    const isEmptied = attribution !== undefined && options.declared?.has(attribution) && !left.has(attribution);
    if (isEmptied)
      refused.push(refusal(deletion, `${attribution} is still declared, but none of its objects is desired`));
    else allowed.push(deletion);
  }
  return { allowed, refused };
}

function wholeAccident(
  deletions: readonly Action[],
  entries: readonly InventoryEntry[],
  { deletions: limits = {} }: PlanOptions,
): string | undefined {
  const { count = 50, share = 0.5 } = limits;
  const wanted = entries.reduce((sum, { desired }) => sum + desired.size, 0);
  if (wanted === 0) return "no object at all is desired, which looks like an accident";
  if (deletions.length > count) return `would delete ${deletions.length} objects; the limit is ${count}`;
  // Not of what is there now: what this plan creates would make the same deletions look harmless in the next one.
  const total = wanted + deletions.length;
  if (deletions.length < alwaysAllowed || deletions.length <= total * share) return undefined;
  return `would delete ${deletions.length} of ${total} objects; the limit is ${Math.round(share * 100)} %`;
}

function attributionsWanted(entries: readonly InventoryEntry[]): ReadonlySet<string> {
  const wanted = new Set<string>();
  for (const { desired } of entries)
    for (const { attribution } of desired.values()) if (attribution !== undefined) wanted.add(attribution);
  return wanted;
}

function refusal({ cluster, namespace, apiVersion, kind, name }: Action, reason: string): PlanRefusal {
  const next = "if this is intended, confirm the deletions";
  return { cluster, namespace, apiVersion, kind, name, action: "delete", reason, next, isError: true };
}
