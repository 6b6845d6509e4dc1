import type { KubeObject } from "#kube";
import type { Side, Stage } from "../kinds/names.ts";
import type { InventoryEntry } from "../kinds/shared-status.ts";

/** What runs resources: a stage, or the result phase after it. */
export type Occasion = Stage | "result";

/** One object that a template gave, and what is to become of it. */
export interface RenderedAction {
  readonly do: "apply" | "delete" | "recreate";
  /** As the template gave it, in its owner's namespace; our marks are put on it when it is made. */
  readonly object: KubeObject;
  readonly side: Side;
  /** When it was made; it goes at the occasion that undoes this one. */
  readonly stage: Occasion;
  /** It stays when the occasion comes that would remove it. */
  readonly isRetained: boolean;
  /** Updates leave it alone. */
  readonly isOnce: boolean;
  /** For messages: `spec.resources[0].template`. */
  readonly field: string;
  /** Values of the other side that stand in the text without quotes, and would need them. */
  readonly unquoted: readonly string[];
}

/** The objects that the actions leave behind, each once. */
export function inventoryOf(actions: readonly RenderedAction[]): InventoryEntry[] {
  const entries = new Map<string, InventoryEntry>();
  for (const action of actions) {
    const entry = entryOf(action);
    if (action.do === "delete") entries.delete(entryKey(entry));
    else entries.set(entryKey(entry), entry);
  }
  return [...entries.values()];
}

export function entryOf({ object, side, stage, isRetained, isOnce }: RenderedAction): InventoryEntry {
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
}: Pick<InventoryEntry, "group" | "kind" | "namespace" | "name">): string {
  return `${group}/${kind}/${namespace}/${name}`;
}
