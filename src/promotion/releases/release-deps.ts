import type { Clock, Logger } from "#base";
import type { KubeClient, KubeObject, ObjectStore } from "#kube";
import type { FreshStore } from "#runtime";
import { ownerIn } from "../scenarios/tested-snapshot.ts";
import { ownerKey } from "../scenarios/testing-deps.ts";

/** Releases by the key of their Snapshot. */
export const byReleasedSnapshot = "snapshot";
/** Snapshots and plans by `namespace/Kind/name` of their owner. */
export const byReleaseOwner = "owner";

/** What the controllers of releases share. */
export interface ReleaseDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly snapshots: FreshStore;
  readonly plans: FreshStore;
  readonly releases: FreshStore;
  /** Of all namespaces: a plan names another one as its target. */
  readonly admissions: ObjectStore;
  readonly mayWrite: () => boolean;
}

/** The owner of a Snapshot or a plan, as it is indexed. */
export function ownerKeysOf({ metadata: { namespace = "" }, spec }: KubeObject): string[] {
  const owner = ownerIn(spec);
  return owner ? [ownerKey(namespace, owner)] : [];
}
