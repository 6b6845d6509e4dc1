import type { Clock, Logger, Metrics } from "#base";
import type { QueryableSource } from "#bundle";
import type { RealizeOptions } from "#inventory";
import type { LeaderElection } from "#kube";
import type { Health } from "#runtime";
import type { ClusterOptions } from "../clusters/cluster-access.ts";
import type { DesireOptions } from "../desired/desire-options.ts";
import type { AppliedRun } from "./apply-run.ts";
import type { ShardIdentity } from "./run-metrics.ts";
import type { LookOptions } from "./run-options.ts";

export interface ManageOptions extends Omit<LookOptions, "reach" | "desire" | "only" | "log" | "clock" | "metrics"> {
  readonly source: QueryableSource;
  /** Makes the options of a run; called for each, so that what is remembered of refs lasts for one. */
  readonly desire: () => DesireOptions;
  readonly clusters: ClusterOptions;
  readonly realize?: Omit<RealizeOptions, "dryRun" | "log" | "metrics" | "clock" | "threadPoolSize"> | undefined;
  readonly isDryRun?: boolean | undefined;
  /** One run, and no more. */
  readonly isRunOnce?: boolean | undefined;
  /** How often the source is looked at where nobody tells of changes, give or take a tenth. */
  readonly intervalMs: number;
  /** The shortest wait after a failure; the longest is `intervalMs`. */
  readonly retryMs: number;
  /** Without, it leads at once. */
  readonly election?: Pick<LeaderElection, "run"> | undefined;
  readonly health?: Health | undefined;
  readonly env?: ShardIdentity | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: Metrics | undefined;
  /** Hears of each run; for tests and for who shows them. */
  readonly onRun?: ((run: ManagedRun) => void) | undefined;
}

export interface ManagedRun {
  /** data: the source was read · look: all clusters were looked at again · a place: somebody changed something there. */
  readonly why: string;
  readonly isSuccess: boolean;
  readonly outcomes: AppliedRun["outcomes"];
}
