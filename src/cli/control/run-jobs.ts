import { hostname } from "node:os";
import { createLogger, createMetrics, InputError, type Logger, systemClock } from "#base";
import { loadAccess } from "#kube";
import { Health, runTogether, serveHealth } from "#runtime";
import { nameCluster, withInstance } from "../cluster/name-cluster.ts";
import type { PlanningChoice } from "../manage/prepare-plan.ts";
import type { Shell } from "../shell.ts";
import { type HomeCluster, openHomeCluster } from "./home-cluster.ts";
import { type JobContext, jobs } from "./jobs.ts";
import { readableLog } from "./readable-log.ts";
import { readTenonConfig, type TenonConfig } from "./tenon-config.ts";

export interface RunChoice extends PlanningChoice {
  readonly only?: readonly string[];
  readonly port?: number;
  readonly console?: boolean;
  readonly logFormat?: "text" | "json";
  readonly leaderElection: boolean;
  /** Of the job `manage`. */
  readonly once?: boolean;
}

/** Runs jobs concurrently. When one fails, the others end too: a restart of the process restarts all of them. */
export async function runJobs(given: RunChoice, shell: Shell): Promise<void> {
  const { only, port = portOf(shell.env) } = given;
  const config = await readTenonConfig(given.config);
  const choice = await withInstance(given, config, shell);
  const { logFormat = shell.stderr.isTTY ? "text" : "json" } = given;
  const log = createLogger({ destination: logFormat === "text" ? readableLog(shell) : shell.stderr });
  const metrics = createMetrics();
  const health = new Health(systemClock);
  let home: Promise<HomeCluster> | undefined;
  const context: Omit<JobContext, "log"> = {
    options: choice,
    config,
    shell,
    home: () => (home ??= openHomeCluster(choice, config, shell)),
    identity: `${shell.env["POD_NAME"] || hostname()}_${crypto.randomUUID()}`,
    health,
    metrics,
    clock: systemClock,
    random: Math.random,
  };
  const selected = jobs.filter(({ name }) => !only || only.includes(name));
  if (choice.once === true && !selected.some(({ name }) => name === "manage")) {
    throw new InputError("only manage can run once, and it does not run", {
      where: "--once",
      next: "add manage to --only, or leave the option out",
    });
  }
  await using server = await serveHealth({ health, metrics, port });
  await using _console = given.console ? await openOwnConsole(choice, config, log, shell) : undefined;
  log.info("running", { jobs: selected.map(({ name }) => name), port: server.port });
  let failure: unknown;
  try {
    await runTogether(
      selected.map((job) => (signal) => job.run({ ...context, log: log.child({ job: job.name }) }, signal)),
      shell.signal,
    );
  } catch (error) {
    failure = error;
  }
  if (home)
    await home.then(
      (opened) => opened[Symbol.asyncDispose](),
      () => {},
    );
  shell.signal.throwIfAborted();
  if (failure !== undefined) throw failure;
}

async function openOwnConsole(
  choice: PlanningChoice,
  config: TenonConfig,
  log: Logger,
  shell: Shell,
): Promise<AsyncDisposable> {
  const [{ openConsole }, { openConsoleData }] = await Promise.all([
    import("../console/open-console.ts"),
    import("../console/open-console-data.ts"),
  ]);
  const access = await loadAccess({ ...(await nameCluster(choice, config, shell)), env: shell.env });
  await using opened = new AsyncDisposableStack();
  const data = opened.adopt(await openConsoleData(choice, config, access, shell), (each) =>
    each?.[Symbol.asyncDispose](),
  );
  opened.use(await openConsole(config.console ?? {}, access, log, shell, data?.data));
  return opened.move();
}

function portOf(env: Shell["env"]): number {
  const text = env["PROMETHEUS_PORT"] || "9090";
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new InputError(`expected a port, got ${JSON.stringify(text)}`, { where: "PROMETHEUS_PORT" });
}
