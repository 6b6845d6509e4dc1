import type { Clock, Logger, Metrics } from "#base";
import type { Health } from "#runtime";
import { declareCouplingJob } from "../couple/coupling-job-options.ts";
import type { LazyCommand } from "../lazy-command.ts";
import { declareManageJob } from "../manage/manage-job-options.ts";
import type { Shell } from "../shell.ts";
import type { Home } from "./home-cluster.ts";
import type { TenonConfig } from "./tenon-config.ts";

/** What every job is given. */
export interface JobContext<Options = unknown> {
  /** All options of `tenon run`, as they were given. */
  readonly options: Options;
  readonly config: TenonConfig;
  readonly shell: Shell;
  /** Opened when a job asks first, and closed after all have ended. */
  readonly home: () => Promise<Home>;
  /** Nobody else has the same one: the holder of Leases. */
  readonly identity: string;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** What the file of a job exports. */
export interface JobFile {
  /** Runs until the signal is aborted, or until there is nothing more to do; rejects when it failed for good. */
  start(context: JobContext, signal: AbortSignal): Promise<void>;
}

export interface Job {
  readonly name: string;
  readonly summary: string;
  /** Adds the job's own options to `tenon run`; imports nothing that is not cheap. */
  readonly declare: (command: LazyCommand, shell: Shell) => void;
  readonly load: () => Promise<JobFile>;
}

/** What `tenon run` can do. */
export const jobs: readonly Job[] = [
  {
    name: "manage",
    summary: "runs integrations as the data says",
    declare: declareManageJob,
    load: () => import("../manage/manage-job.ts"),
  },
  {
    name: "couple",
    summary: "couples plugs and sockets",
    declare: declareCouplingJob,
    load: () => import("../couple/coupling-job.ts"),
  },
];
