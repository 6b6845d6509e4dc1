import type { Side } from "../kinds/names.ts";
import type { InventoryEntry } from "../kinds/shared-status.ts";
import { entryKey, type Occasion } from "./rendered.ts";

/** What coupling and updating made, and decoupling removes; what `created` made stays until `deleted`. */
export function isOfPairing({ stage }: InventoryEntry): boolean {
  return stage !== "created" && stage !== "deleted";
}

/** What a side made before and does not make any more. What is made once is not made by updates, and stays all the same. */
export function staleEntries(
  before: readonly InventoryEntry[],
  after: readonly InventoryEntry[],
  side: Side,
  occasion: Occasion,
): InventoryEntry[] {
  const wanted = new Set(after.map(entryKey));
  return before.filter(
    (entry) =>
      entry.side === side &&
      isOfPairing(entry) &&
      !wanted.has(entryKey(entry)) &&
      (occasion === "result") === (entry.stage === "result") &&
      !(occasion === "updated" && entry.once),
  );
}

/**
 * Both, each object once; what is known of it later wins. Of one that is only planned, it is not forgotten that it is there, and
 * that it is not ours to delete.
 */
export function mergeEntries(before: readonly InventoryEntry[], after: readonly InventoryEntry[]): InventoryEntry[] {
  const merged = new Map(before.map((entry) => [entryKey(entry), entry]));
  for (const entry of after) {
    const { uid, retained } = merged.get(entryKey(entry)) ?? {};
    const isOnlyPlanned = entry.uid === undefined && uid !== undefined;
    const more = isOnlyPlanned ? { uid, ...(retained ? { retained } : {}) } : {};
    merged.set(entryKey(entry), { ...entry, ...more });
  }
  return [...merged.values()];
}
