import { InputError } from "#base";
import type { KubeClient, KubeObject } from "#kube";
import { Component } from "../kinds/component.ts";
import { ownerIn, readSnapshot } from "../scenarios/tested-snapshot.ts";
import { judgeOverride } from "../snapshots/judge-snapshot.ts";

/**
 * Whether an override has a component or an image that makes it invalid, as the API server knows its Components now. Its tests
 * may have passed before the controller of Snapshots has judged it.
 */
export async function isInvalidOverride(
  snapshot: KubeObject,
  client: Pick<KubeClient, "list">,
  signal: AbortSignal,
): Promise<boolean> {
  const { type, namespace, owner } = readSnapshot(snapshot);
  if (type !== "override" || owner?.kind !== "Application") return false;
  const { apiVersion, kind } = Component;
  try {
    const { items } = await client.list({ apiVersion, kind, namespace }, signal);
    const owned = items.filter(({ spec }) => ownerIn(spec)?.name === owner.name);
    return judgeOverride(snapshot, owner.name, owned).length > 0;
  } catch (error) {
    if (error instanceof InputError) return false; // without the kind, no one judges overrides
    throw error;
  }
}
