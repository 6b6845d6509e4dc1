import { isRecord } from "#base";
import { type KubeObject, type ObjectStore, refOf } from "#kube";
import { type Reconciler, requeueAfter } from "#runtime";
import type { BuildDeps } from "../builds/build-reconciler.ts";
import { decideSweep } from "./decide-sweep.ts";
import type { SweepLimits } from "./sweep-limits.ts";

/** An index of Snapshots and Releases. */
export const bySweptNamespace = "namespace";

export interface SweepDeps extends Pick<BuildDeps, "client" | "clock" | "log" | "metrics" | "snapshots"> {
  readonly releases: ObjectStore;
  readonly limits: SweepLimits;
  /** Whether Snapshots of the namespace are deleted. */
  isTenant(namespace: string): boolean;
}

const sweepMs = 60 * 60_000;

/** Deletes Snapshots of a namespace that are no longer needed, once an hour. */
export function sweepReconciler(deps: SweepDeps): Reconciler {
  return async function reconcileNamespace(namespace, signal) {
    if (!deps.isTenant(namespace)) return requeueAfter(sweepMs);
    const snapshots = deps.snapshots.byIndex(bySweptNamespace, namespace);
    const released = new Set(deps.releases.byIndex(bySweptNamespace, namespace).flatMap(snapshotOf));
    const superfluous = decideSweep({ snapshots, released, limits: deps.limits, now: deps.clock.now() });
    let deleted = 0;
    for (const snapshot of superfluous) {
      const { uid } = snapshot.metadata;
      try {
        await deps.client.delete(refOf(snapshot), { uid }, signal);
        deleted += 1;
      } catch (error) {
        deps.log.warn("cannot delete a Snapshot", { namespace, snapshot: snapshot.metadata.name, error });
      }
    }
    if (deleted > 0) {
      deps.metrics.snapshotsDeleted(deleted);
      deps.log.info("Snapshots deleted", { namespace, count: deleted });
    }
    return requeueAfter(sweepMs);
  };
}

function snapshotOf({ spec }: KubeObject): readonly string[] {
  const name = isRecord(spec) ? spec["snapshot"] : undefined;
  return typeof name === "string" ? [name] : [];
}
