import type { Clock, Logger, Metrics } from "#base";
import type { Health } from "#runtime";
import { couplingJobOptions } from "../couple/couple-commands.ts";
import type { LazyCommand } from "../lazy-command.ts";
import { manageJobOptions } from "../manage/manage-commands.ts";
import type { ManageJobChoice } from "../manage/manage-job.ts";
import { promoteJobOptions } from "../promote/promote-commands.ts";
import type { Shell } from "../shell.ts";
import type { HomeCluster } from "./home-cluster.ts";
import type { TenonConfig } from "./tenon-config.ts";

/** What every job gets. */
export interface JobContext<Options = unknown> {
  /** All options of `tenon run`. */
  readonly options: Options;
  readonly config: TenonConfig;
  readonly shell: Shell;
  /** Opened on the first call, and closed after all jobs have ended. */
  readonly home: () => Promise<HomeCluster>;
  /** Unique: the holder of Leases. */
  readonly identity: string;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

export interface Job {
  readonly name: string;
  readonly summary: string;
  /** Adds the job's own options to `tenon run`. */
  addOptions(command: LazyCommand, shell: Shell): void;
  /** Runs until the signal is aborted, or until nothing is left to do; rejects when it failed for good. */
  run(context: JobContext, signal: AbortSignal): Promise<void>;
}

/** The jobs of `tenon run`. */
export const jobs: readonly Job[] = [
  {
    name: "manage",
    summary: "deploys integrations as the data says",
    addOptions: manageJobOptions,
    async run(context: JobContext<ManageJobChoice>, signal) {
      await (await import("../manage/manage-job.ts")).runManageJob(context, signal);
    },
  },
  {
    name: "couple",
    summary: "couples plugs and sockets",
    addOptions: couplingJobOptions,
    async run(context, signal) {
      await (await import("../couple/coupling-job.ts")).runCouplingJob(context, signal);
    },
  },
  {
    name: "promote",
    summary: "turns builds into tested Snapshots, and proposes released images to GitOps repositories",
    addOptions: promoteJobOptions,
    async run(context, signal) {
      await (await import("../promote/promote-job.ts")).runPromoteJob(context, signal);
    },
  },
];
