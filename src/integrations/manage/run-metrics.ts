import type { Metrics } from "#base";
import { managerIdentity } from "../manager-defaults.ts";

/** What a manager counts of its runs, by the names that qontract-reconcile gave them. */
export interface RunMetrics {
  started(): void;
  ended(run: { readonly seconds: number; readonly isSuccess: boolean }): void;
}

const silent: RunMetrics = { started() {}, ended() {} };
const labels = ["integration", "shards", "shard_id"] as const;

export interface ShardIdentity {
  readonly SHARDS?: string | undefined;
  readonly SHARD_ID?: string | undefined;
  readonly SHARD_KEY?: string | undefined;
}

/** The labels that qontract-reconcile gives its runs. */
export function shardLabels({ SHARDS: shards = "1", SHARD_ID: id = "0", SHARD_KEY: key }: ShardIdentity) {
  return { integration: managerIdentity.integration, shards, shard_id: key || `${id}-${shards}` };
}

/** The manager has no shards, but says so in the labels that dashboards ask for. */
export function runMetrics(metrics: Metrics | undefined, env: ShardIdentity = {}): RunMetrics {
  if (!metrics) return silent;
  const own = shardLabels(env);
  const seconds = metrics.gauge("qontract_reconcile_last_run_seconds", "How long the last run took.", labels);
  const status = metrics.gauge("qontract_reconcile_last_run_status", "How the last run ended: 0 is success.", labels);
  const runs = metrics.counter("qontract_reconcile_execution_counter_total", "Runs that were started.", labels);
  return {
    started: () => runs.inc(own),
    ended(run) {
      seconds.set(run.seconds, own);
      status.set(run.isSuccess ? 0 : 1, own);
    },
  };
}
