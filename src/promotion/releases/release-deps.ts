import type { Clock, Logger } from "#base";
import type { KubeClient, KubeObject, ObjectStore } from "#kube";
import type { FreshStore } from "#runtime";
import { ownerIn } from "../scenarios/tested-snapshot.ts";
import { ownerKey } from "../scenarios/testing-deps.ts";
import type { PhasePipeline } from "./phase-pipeline.ts";
import type { PhaseRunner } from "./phase-runner.ts";
import type { ReleaseConfig } from "./release-config.ts";
import type { ReleaseMetrics } from "./release-metrics.ts";

/** Releases by the key of their Snapshot. */
export const byReleasedSnapshot = "snapshot";
/** Snapshots and plans by `namespace/Kind/name` of their owner. */
export const byReleaseOwner = "owner";

/** What the controllers of releases share. */
export interface ReleaseDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ReleaseMetrics;
  readonly snapshots: FreshStore;
  readonly plans: FreshStore;
  readonly releases: FreshStore;
  /** Of all namespaces: a plan names another one as its target. */
  readonly admissions: ObjectStore;
  readonly config: () => ReleaseConfig;
  /** Whether the policies that hold authors are installed. */
  readonly holdsAuthors: (signal: AbortSignal) => Promise<boolean>;
  readonly runnerOf: (pipeline: PhasePipeline) => PhaseRunner;
  readonly runners: readonly PhaseRunner[];
  /** The pipelines that Tenon runs itself. */
  readonly builtins: readonly string[];
  readonly mayWrite: () => boolean;
}

/** The owner of a Snapshot or a plan, as it is indexed. */
export function ownerKeysOf({ metadata: { namespace = "" }, spec }: KubeObject): string[] {
  const owner = ownerIn(spec);
  return owner ? [ownerKey(namespace, owner)] : [];
}
