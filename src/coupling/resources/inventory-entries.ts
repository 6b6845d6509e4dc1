import type { Side } from "../kinds/names.ts";
import type { CouplingEntry } from "../kinds/shared-status.ts";
import type { ResourcePhase, RenderedAction } from "./render-resources.ts";

/** The objects that the actions leave behind, each once. */
export function inventoryOf(actions: readonly RenderedAction[]): CouplingEntry[] {
  const entries = new Map<string, CouplingEntry>();
  for (const action of actions) {
    const entry = entryOf(action);
    if (action.do === "delete") entries.delete(entryKey(entry));
    else entries.set(entryKey(entry), entry);
  }
  return [...entries.values()];
}

export function entryOf({ object, side, stage, isRetained, isOnce }: RenderedAction): CouplingEntry {
  const { apiVersion, kind, metadata } = object;
  const slash = apiVersion.indexOf("/");
  return {
    group: slash < 0 ? "" : apiVersion.slice(0, slash),
    version: apiVersion.slice(slash + 1),
    kind,
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    name: metadata.name,
    ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
    side,
    stage,
    ...(isRetained ? { retained: true } : {}),
    ...(isOnce ? { once: true } : {}),
  };
}

/** Tells objects apart, whatever the version they are read in. */
export function entryKey({
  group,
  kind,
  namespace = "",
  name,
}: Pick<CouplingEntry, "group" | "kind" | "namespace" | "name">): string {
  return `${group}/${kind}/${namespace}/${name}`;
}

/** What coupling and updating made, and decoupling removes; what `created` made stays until `deleted`. */
export function isOfPairing({ stage }: CouplingEntry): boolean {
  return stage !== "created" && stage !== "deleted";
}

/** What a side made before and does not make any more. What is made once is not made by updates, and stays all the same. */
export function staleEntries(
  before: readonly CouplingEntry[],
  after: readonly CouplingEntry[],
  side: Side,
  occasion: ResourcePhase,
): CouplingEntry[] {
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
export function mergeEntries(before: readonly CouplingEntry[], after: readonly CouplingEntry[]): CouplingEntry[] {
  const merged = new Map(before.map((entry) => [entryKey(entry), entry]));
  for (const entry of after) {
    const { uid, retained } = merged.get(entryKey(entry)) ?? {};
    const isOnlyPlanned = entry.uid === undefined && uid !== undefined;
    const more = isOnlyPlanned ? { uid, ...(retained ? { retained } : {}) } : {};
    merged.set(entryKey(entry), { ...entry, ...more });
  }
  return [...merged.values()];
}
