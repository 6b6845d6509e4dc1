import { isJsonObject } from "#base";
import { type Plan, type ResourceInventory, suspendAnnotation } from "#inventory";
import type { HistoryEntry, HistoryObject } from "./history-entry.ts";

/** The integrations that were changed after an entry. */
export function changedSince(entries: readonly HistoryEntry[], target: HistoryEntry): string[] {
  const later = entries.filter(({ id }) => id > target.id);
  return [...new Set(later.flatMap(({ integrations }) => integrations))].toSorted();
}

/** An object that is rendered from the data of then, and not as it was then. */
export type DifferentObject = Pick<HistoryObject, "cluster" | "namespace" | "kind" | "name">;

/**
 * The objects whose desired state, computed from the data of an entry, is not what the history says they were then: the chart, the
 * image or a parameter from elsewhere is another one now. What the history does not say is not compared.
 */
export function differentNow(
  entries: readonly HistoryEntry[],
  target: HistoryEntry,
  inventory: ResourceInventory,
): DifferentObject[] {
  const desired = new Map<string, string>();
  for (const { cluster, namespace, desired: objects } of inventory) {
    for (const object of objects.values()) {
      desired.set(keyOf({ cluster, namespace, kind: object.kind, name: object.name }), object.sha256());
    }
  }
  return [...statesAt(entries, target).values()].flatMap(({ object, hash }) => {
    const now = desired.get(keyOf(object));
    if (hash === undefined || now === undefined || now.startsWith(hash)) return [];
    const { cluster, namespace, kind, name } = object;
    return [{ cluster, namespace, kind, name }];
  });
}

/** What an object was after an entry: what that entry made of it, or what it was before it was changed next. */
function statesAt(
  entries: readonly HistoryEntry[],
  target: HistoryEntry,
): ReadonlyMap<string, { readonly object: HistoryObject; readonly hash: string | undefined }> {
  const states = new Map<string, { readonly object: HistoryObject; readonly hash: string | undefined }>();
  for (const object of target.objects) {
    if (object.state === "done") states.set(keyOf(object), { object, hash: object.after });
  }
  for (const { objects } of entries.filter(({ id }) => id > target.id)) {
    for (const object of objects) {
      if (!states.has(keyOf(object))) states.set(keyOf(object), { object, hash: object.before });
    }
  }
  return states;
}

/** The plan with the annotation on everything that it writes of an integration, so that no manager changes it back. */
export function withSuspension(plan: Plan, reason: string): Plan {
  const actions = plan.actions.map((action) => {
    const metadata = action.body?.["metadata"];
    if (action.attribution === undefined || !action.body || !isJsonObject(metadata)) return action;
    const { annotations } = metadata;
    const marked = { ...(isJsonObject(annotations) ? annotations : {}), [suspendAnnotation]: reason };
    return { ...action, body: { ...action.body, metadata: { ...metadata, annotations: marked } } };
  });
  return { ...plan, actions };
}

function keyOf({ cluster, namespace, kind, name }: DifferentObject): string {
  return JSON.stringify([cluster, namespace, kind, name]);
}
