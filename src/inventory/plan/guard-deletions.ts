import type { Action, PlanOptions, PlanRefusal } from "./plan.ts";
import type { InventoryEntry } from "../resource-inventory.ts";

const alwaysAllowed = 5;

/** What a plan would delete. */
interface Losses {
  readonly deletions: readonly Action[];
  /** Deleted and created again. */
  readonly replacements: readonly Action[];
}

/** Holds deletions and replacements back that look like an accident, until they are confirmed. */
export function guardDeletions(
  { deletions, replacements }: Losses,
  entries: readonly InventoryEntry[],
  options: PlanOptions,
): { readonly allowed: readonly Action[]; readonly refused: readonly PlanRefusal[] } {
  const losses = [...deletions, ...replacements];
  if (options.deletionsConfirmed || losses.length === 0) return { allowed: losses, refused: [] };
  const accident = wholeAccident({ deletions, replacements }, entries, options);
  if (accident !== undefined) return { allowed: [], refused: losses.map((action) => refusal(action, accident)) };
  const left = attributionsWanted(entries);
  const allowed: Action[] = [...replacements];
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
  { deletions, replacements }: Losses,
  entries: readonly InventoryEntry[],
  { deletions: limits = {} }: PlanOptions,
): string | undefined {
  const { count = 50, share = 0.5 } = limits;
  const wanted = entries.reduce((sum, { desired }) => sum + desired.size, 0);
  if (wanted === 0) return "no object at all is desired, which looks like an accident";
  const losses = deletions.length + replacements.length;
  const would = describeLosses(deletions.length, replacements.length);
  if (losses > count) return `would ${would} objects; the limit is ${count}`;
  // Not of what is there now: what this plan creates would make the same deletions look harmless in the next one.
  const total = wanted + deletions.length;
  if (losses < alwaysAllowed || losses <= total * share) return undefined;
  return `would ${would} of ${total} objects; the limit is ${Math.round(share * 100)} %`;
}

/** Like `delete 3`, or `delete 3 and replace 2`. */
function describeLosses(deletions: number, replacements: number): string {
  const parts = [
    [deletions, `delete ${deletions}`],
    [replacements, `replace ${replacements}`],
  ] as const;
  return parts.flatMap(([number, text]) => (number > 0 ? [text] : [])).join(" and ");
}

function attributionsWanted(entries: readonly InventoryEntry[]): ReadonlySet<string> {
  const wanted = new Set<string>();
  for (const { desired } of entries)
    for (const { attribution } of desired.values()) if (attribution !== undefined) wanted.add(attribution);
  return wanted;
}

function refusal({ cluster, namespace, apiVersion, kind, name, action }: Action, reason: string): PlanRefusal {
  const next = "if this is intended, confirm the deletions";
  return { cluster, namespace, apiVersion, kind, name, action, reason, next, isError: true };
}
