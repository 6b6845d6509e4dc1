import { type CouplingEntry, type Pair, sideOf } from "../kinds/index.ts";
import { staleEntries } from "../resources/inventory-entries.ts";
import type { ResourcePhase } from "../resources/render-resources.ts";
import type { PlugMemory } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { removeMade } from "./side-actions.ts";

/** Deletes objects of earlier attempts that this one does not render. */
export async function pruneObjects(
  { pair, memory }: { readonly pair: Pair; readonly memory: PlugMemory },
  wanted: readonly CouplingEntry[],
  occasion: ResourcePhase,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  for (const object of [pair.plug, pair.socket]) {
    const stale = staleEntries(memory.inventory, wanted, sideOf(object), occasion);
    if (stale.length === 0) continue;
    await removeMade(stale, object, pair, deps, signal);
    memory.inventory = memory.inventory.filter((entry) => !stale.includes(entry) || entry.retained);
  }
  deps.claims.set(pair.plug.metadata.uid ?? "", memory.inventory);
}
