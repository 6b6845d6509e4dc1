import type { Clock, Logger } from "#base";
import type { KubeClient, KubeObject, ObjectStore } from "#kube";
import type { FreshStore } from "#runtime";
import type { TestRunner } from "../runners/test-runner.ts";
import type { TestingMetrics } from "../testing-metrics.ts";
import type { RunTimeouts } from "./run-timeouts.ts";
import type { SnapshotOwner } from "./tested-snapshot.ts";

/** Snapshots and scenarios by `namespace/Kind/name` of their owner. */
export const byOwner = "owner";
/** Snapshots by the set of which only the newest is tested. */
export const bySupersession = "supersession";
/** Runs by the key of their Snapshot. */
export const bySnapshot = "snapshot";

/** What the reconciler of test runs needs. */
export interface TestingDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: TestingMetrics;
  readonly snapshots: FreshStore;
  readonly scenarios: ObjectStore;
  /** The PipelineRuns and the Jobs that test a Snapshot. */
  readonly runsOf: (snapshotKey: string) => readonly KubeObject[];
  readonly ownerOf: (kind: "Application" | "ComponentGroup", key: string) => KubeObject | undefined;
  /** Whether a ReleasePlan of the namespace may release the owner's Snapshots by itself. */
  readonly hasReleasePlan: (namespace: string, owner: SnapshotOwner, signal: AbortSignal) => Promise<boolean>;
  readonly runners: { readonly tekton: TestRunner; readonly job: TestRunner };
  readonly timeouts: RunTimeouts;
  /** The page of a run; undefined if there is none. */
  readonly logUrlOf: (namespace: string, run: string) => string | undefined;
  /** Whether the results of a run are no longer needed by anyone. */
  readonly isReported: (snapshot: KubeObject, scenario: string) => boolean;
  readonly mayWrite: () => boolean;
}

/** How owners are indexed. */
export function ownerKey(namespace: string, { kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${namespace}/${kind}/${name}`;
}
