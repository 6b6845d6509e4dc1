import { InputError } from "#base";
import type { KubeClient, KubeObject, ObjectStore } from "#kube";
import { ReleasePlan } from "../kinds/release-plan.ts";
import type { SnapshotOwner } from "../scenarios/tested-snapshot.ts";
import { byOwner, ownerKey } from "../scenarios/testing-deps.ts";
import { ownerKeysOf } from "./release-deps.ts";
import { releasesByItself } from "./releases-by-itself.ts";

interface PlanSources {
  readonly client: Pick<KubeClient, "list">;
  readonly plans: Pick<ObjectStore, "byIndex">;
}

/**
 * Tells whether a plan may release Snapshots of an owner by itself. The store lags behind, and a Snapshot that says that it has
 * no plan is never asked about again: so "no" is the answer of the API server.
 */
export function findReleasePlans({ client, plans }: PlanSources) {
  return async (namespace: string, owner: SnapshotOwner, signal: AbortSignal): Promise<boolean> => {
    const key = ownerKey(namespace, owner);
    if (plans.byIndex(byOwner, key).some(releasesByItself)) return true;
    return (await list(namespace, client, signal)).some(
      (plan) => ownerKeysOf(plan).includes(key) && releasesByItself(plan),
    );
  };
}

async function list(
  namespace: string,
  client: PlanSources["client"],
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const { apiVersion, kind } = ReleasePlan;
  try {
    return (await client.list({ apiVersion, kind, namespace }, signal)).items;
  } catch (error) {
    if (error instanceof InputError) return []; // the cluster does not have the kind
    throw error;
  }
}
