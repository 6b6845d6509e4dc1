import type { Clock, Metrics } from "#base";
import type { KubeClient, KubeObject } from "#kube";
import type { BuiltinPipeline } from "../releases/builtin-runner.ts";
import { actAs } from "./account-secrets.ts";
import { RepositoryLocks } from "./repository-locks.ts";
import { retagMetrics } from "./retag-metrics.ts";
import { type RetagDeps, retagRelease } from "./retag-release.ts";

export interface RetagPipelineOptions extends Pick<RetagDeps, "settings"> {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly metrics?: Metrics | undefined;
  /** Of all namespaces. */
  readonly snapshots: { list(): readonly KubeObject[] };
}

/** `builtin/retag`: re-tags releases in this process, one at a time for each repository. */
export function retagPipeline({ client, clock, metrics, snapshots, settings }: RetagPipelineOptions): BuiltinPipeline {
  const deps: RetagDeps = {
    clock,
    metrics: retagMetrics(metrics),
    actAs: (namespace, name) => actAs(client, namespace, name),
    snapshotsIn: (namespace) => snapshots.list().filter(({ metadata }) => metadata.namespace === namespace),
    ...(settings ? { settings } : {}),
    locks: new RepositoryLocks(),
  };
  return (request, signal) => retagRelease(request, deps, signal);
}
