import { InputError, parseDuration } from "#base";
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
import { limitsOf, memoryOf, reachOf } from "./cluster-settings.ts";
import { openData, rendering } from "./data-settings.ts";
import type { DataChoice, LimitChoice, ReachChoice, RenderingChoice } from "./manage-options.ts";

interface ManageChoice extends DataChoice, RenderingChoice, ReachChoice, LimitChoice {
  readonly once: boolean;
  readonly interval?: string;
  readonly dryRun: boolean;
  readonly leaderElection: boolean;
}

/** Keeps integrations running as the data says. */
export async function start(context: JobContext<ManageChoice>, signal: AbortSignal): Promise<void> {
  const { options: choice, config, shell, home, health, metrics, clock, random, log } = context;
  const said = readManagerEnvironment(shell.env);
  const isRunOnce = choice.once || said.isRunOnce;
  const memory = await memoryOf(choice, config, shell, home);
  if (!memory)
    log.warn("namespaces are not remembered: one that loses its last integration is not cleaned", {
      next: "give --namespace or --state-file",
    });
  const isSuccess = await manageIntegrations(
    {
      ...limitsOf(choice, config),
      source: (await openData(choice, config, shell))(),
      desire: rendering(choice, config, shell),
      clusters: await reachOf(choice, config, shell, home),
      memory,
      ownWorkload: await ownWorkloadOf(context, signal),
      isDryRun: choice.dryRun || said.isDryRun,
      isRunOnce,
      intervalMs: intervalOf(choice, config, shell.env, said.intervalMs),
      retryMs: said.retryMs,
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
  if (isRunOnce && !isSuccess) throw new InputError("the run has failed", { next: "its errors are in the log above" });
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

/** The workload of the pod that we run in, if we do: it is changed last. */
async function ownWorkloadOf({ shell: { env }, home }: JobContext, signal: AbortSignal) {
  const { POD_NAME: name, POD_NAMESPACE: namespace } = env;
  if (!name || !namespace) return undefined;
  return await findOwnWorkload((await home()).client, { namespace, name }, signal);
}

function intervalOf(
  { interval }: ManageChoice,
  config: TenonConfig,
  env: NodeJS.ProcessEnv,
  otherwise: number,
): number {
  const text = interval ?? (env["SLEEP_DURATION_SECS"] ? undefined : config.interval);
  if (text === undefined) return otherwise;
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new InputError(`--interval is ${text}`, { next: "write a duration like 5m" });
}
