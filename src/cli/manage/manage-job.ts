import { CommandFailed, InputError, parseDuration } from "#base";
import {
  findOwnWorkload,
  manageIntegrations,
  manageLease,
  type ManageOptions,
  readManagerEnvironment,
} from "#integrations";
import { createLeaderElection } from "#kube";
import { electionChecks } from "#runtime";
import type { JobContext } from "../control/jobs.ts";
import type { TenonConfig } from "../control/tenon-config.ts";
import {
  clusterReach,
  desireOptions,
  healthyWithin,
  openData,
  openHistory,
  openNamespaceMemory,
  planLimits,
} from "./manage-settings.ts";
import { RunReports } from "./run-reports.ts";
import type { DataChoice, LimitChoice, ReachChoice, RenderingChoice } from "./manage-commands.ts";

export interface ManageJobChoice extends DataChoice, RenderingChoice, ReachChoice, LimitChoice {
  readonly once: boolean;
  readonly interval?: string;
  readonly dryRun: boolean;
  readonly healthyWithin?: string;
  readonly leaderElection: boolean;
}

/** The job `manage` of `tenon run`: deploys integrations as the data says. */
export async function runManageJob(context: JobContext<ManageJobChoice>, signal: AbortSignal): Promise<void> {
  const { options: choice, config, shell, home, health, metrics, clock, random, log } = context;
  const variables = readManagerEnvironment(shell.env);
  const isRunOnce = choice.once || variables.isRunOnce;
  const memory = await openNamespaceMemory(choice, config, shell, home);
  if (!memory)
    log.warn("no list of managed namespaces: a namespace that loses its last integration is not cleaned up", {
      next: "set --tenon-namespace or --state-file",
    });
  const desire = desireOptions(choice, config, shell);
  const reports = new RunReports({
    history: () => openHistory(choice, config, shell, home),
    notifications: config.notifications,
    location: choice.data ?? config.data ?? "",
    clock,
    warn: (what, error) => log.warn(what, { error }),
    shell,
  });
  await reports.open();
  await using _ = { [Symbol.asyncDispose]: () => reports.close() };
  const isSuccess = await manageIntegrations(
    {
      ...planLimits(choice, config),
      source: (await openData(choice, config, shell))(),
      desire: () => reports.listen(desire()),
      onRun: reports.report,
      clusters: await clusterReach(choice, config, shell, home),
      memory,
      ownWorkload: await ownWorkloadOf(context, signal),
      isDryRun: choice.dryRun || variables.isDryRun,
      isRunOnce,
      intervalMs: intervalOf(choice, config, shell.env, variables.intervalMs),
      retryMs: variables.retryMs,
      healthyWithinMs: healthyWithin(choice.healthyWithin, config),
      ...(choice.leaderElection && !isRunOnce ? { election: await electionOf(context) } : {}),
      health,
      env: shell.env,
      clock,
      random,
      log,
      metrics,
    } satisfies ManageOptions,
    signal,
  );
  if (isRunOnce && !isSuccess) throw new CommandFailed("the run failed", { next: "see the errors in the log above" });
}

async function electionOf({ home, identity, health, metrics, clock, random, log }: JobContext) {
  const { openClient, namespace } = await home();
  const client = openClient();
  const election = createLeaderElection({
    client,
    namespace,
    name: manageLease,
    identity,
    clock,
    random,
    log,
    metrics,
  });
  health.add(...electionChecks(election, clock));
  return election;
}

/** The workload of the pod that Tenon runs in, if any: it is changed last. */
async function ownWorkloadOf({ shell: { env }, home }: JobContext, signal: AbortSignal) {
  const { POD_NAME: name, POD_NAMESPACE: namespace } = env;
  if (!name || !namespace) return undefined;
  return await findOwnWorkload((await home()).client, { namespace, name }, signal);
}

function intervalOf(
  { interval }: ManageJobChoice,
  config: TenonConfig,
  env: NodeJS.ProcessEnv,
  fallback: number,
): number {
  const text = interval ?? (env["SLEEP_DURATION_SECS"] ? undefined : config.interval);
  if (text === undefined) return fallback;
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new InputError(`expected a duration such as 5m, got ${JSON.stringify(text)}`, { where: "--interval" });
}
