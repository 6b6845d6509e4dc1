import { describeError, nearestName, systemClock } from "#base";
import type { LoadedData, QueryableSource, UnparsedData } from "#bundle";
import {
  ClusterAnswers,
  clusterSources,
  type DesiredOptions,
  type ManagedRun,
  type NamespaceMemory,
  type Notice,
  type PlanDesiredOptions,
  type PlanFromDataOptions,
  type PlannedRun,
  planFromData,
  viewPlan,
  type ViewedPlan,
} from "#integrations";
import { withInstance } from "../cluster/name-cluster.ts";
import { type HomeCluster, openHomeCluster } from "../control/home-cluster.ts";
import { readTenonConfig, type TenonConfig } from "../control/tenon-config.ts";
import type { Shell } from "../shell.ts";
import {
  planLimits,
  openNamespaceMemory,
  openData,
  openKeptDesired,
  clusterReach,
  desireOptions,
  dataSelection,
  openHistory,
} from "./manage-settings.ts";
import type { DataChoice, LimitChoice, ReachChoice, RenderingChoice } from "./manage-commands.ts";
import { printNotices } from "./print-plan.ts";
import { RunReports } from "./run-reports.ts";

export interface PlanningChoice extends DataChoice, RenderingChoice, ReachChoice, LimitChoice {
  readonly config?: string;
  /** Other data: only namespaces whose desired state differs from it are planned. */
  readonly compare?: string;
}

/** A plan, and what is needed to apply it. */
export interface PreparedPlan extends AsyncDisposable {
  readonly planned: PlannedRun;
  readonly warnings: readonly Notice[];
  readonly memory: NamespaceMemory | undefined;
  readonly ignoreDifferences: TenonConfig["ignoreDifferences"];
  /** When the data was committed, if known. */
  readonly committedAt: Date | undefined;
  readonly config: TenonConfig;
  readonly data: ManagedRun["data"];
  /** What to tell when it was applied. */
  readonly reports: RunReports;
}

/** What a command plans otherwise than `tenon plan`. */
export interface PlanningChanges {
  readonly adjust?: (desire: DesiredOptions) => DesiredOptions;
  readonly plan?: Pick<PlanDesiredOptions, "ignoresSuspension">;
  readonly rollbackTo?: number;
}

/** Loads the data, surveys the clusters and plans, as options, environment and `tenon.yaml` say. */
export async function preparePlan(
  given: PlanningChoice,
  shell: Shell,
  changes: PlanningChanges = {},
): Promise<PreparedPlan> {
  await using opened = new AsyncDisposableStack();
  const { options, warnings, environment, ...others } = await readPlanning(given, shell, changes, opened);
  const planned = opened.use(await planFromData(options, shell.signal));
  const { data } = options;
  const seconds = Number(data.gitCommitTimestamp);
  const kept = opened.move();
  return {
    ...others,
    planned,
    warnings: [
      ...warnings,
      ...planned.warnings,
      ...checkEnvironment(
        environment,
        planned.desired.namespaces.map((namespace) => namespace.environment.name),
      ),
    ],
    data: { identity: data.identity, commit: data.gitCommit },
    committedAt: seconds > 0 ? new Date(seconds * 1000) : undefined,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** The same plan, to look at: one without changes is recalled, if nothing has changed since. */
export async function previewPlan(given: PlanningChoice, shell: Shell): Promise<Pick<ViewedPlan, "plan" | "warnings">> {
  await using opened = new AsyncDisposableStack();
  const answers = new ClusterAnswers();
  const { options, warnings, environment } = await readPlanning(given, shell, { answers }, opened);
  const { plan, environments, ...viewed } = await viewPlan({ ...options, answers }, shell.signal);
  return { plan, warnings: [...warnings, ...viewed.warnings, ...checkEnvironment(environment, environments)] };
}

interface Planning extends Pick<PreparedPlan, "warnings" | "memory" | "ignoreDifferences" | "config" | "reports"> {
  readonly options: PlanFromDataOptions & { readonly data: UnparsedData };
  /** The only environment that is looked at. */
  readonly environment: string | undefined;
}

/** Reads what a plan is made from. What it opens is open until the end of `opened`. */
async function readPlanning(
  given: PlanningChoice,
  shell: Shell,
  { adjust = (desire) => desire, plan, rollbackTo, answers }: PlanningChanges & { readonly answers?: ClusterAnswers },
  opened: AsyncDisposableStack,
): Promise<Planning> {
  const config = await readTenonConfig(given.config);
  const choice = await withInstance(given, config, shell);
  let home: Promise<HomeCluster> | undefined;
  const openOnce = (): Promise<HomeCluster> =>
    (home ??= openHomeCluster(choice, config, shell).then((each) => opened.use(each)));
  const source = await openData(choice, config, shell);
  const desire = desireOptions(choice, config, shell);
  const data = await source().read(shell.signal);
  const { base, warnings } = choice.compare === undefined ? noBase : await loadBase(source, choice.compare, shell);
  const clusters = await clusterReach(choice, config, shell, openOnce);
  const memory = await openNamespaceMemory(choice, config, shell, openOnce);
  shell.progress?.("computing the desired objects");
  const reports = new RunReports({
    history: () => openHistory(choice, config, shell, openOnce),
    notifications: config.notifications,
    location: choice.data ?? config.data ?? "",
    rollbackTo,
    clock: systemClock,
    warn: (what, problem) => printNotices([{ what: `${what}: ${problem}` }], shell),
    shell,
  });
  return {
    options: {
      onRead: (done, total) => shell.progress?.(`reading the clusters: ${done} of ${total} lists`),
      data,
      base,
      desire: adjust(reports.listen(desire())),
      kept: openKeptDesired(shell.env),
      reach(named) {
        shell.progress?.(`reading ${nameClusters(named.map(({ name }) => name))}`);
        return clusterSources(named, { ...clusters, wrap: answers?.wrap });
      },
      memory,
      ...planLimits(choice, config),
      ...plan,
    },
    warnings,
    environment: dataSelection(choice, config, shell).environment,
    memory,
    ignoreDifferences: config.ignoreDifferences,
    config,
    reports,
  };
}

const mostNames = 3;

function nameClusters(names: readonly string[]): string {
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : "";
  return `${names.length === 1 ? "cluster" : "clusters"} ${names.slice(0, mostNames).join(", ")}${more}`;
}

interface Base {
  readonly base?: LoadedData;
  readonly warnings: readonly Notice[];
}

const noBase: Base = { warnings: [] };

/** Comparing only saves work: without a base the result is the same. */
async function loadBase(
  source: (location: string) => QueryableSource,
  location: string,
  { signal }: Shell,
): Promise<Base> {
  try {
    return { base: await source(location).load(signal), warnings: [] };
  } catch (error) {
    signal.throwIfAborted();
    const what = `cannot compare with ${location}, so all namespaces are planned: ${describeError(error)}`;
    return { warnings: [{ what, where: "--compare" }] };
  }
}

/** An environment without integrations may have lost its last one, or may be a typing error. */
function checkEnvironment(name: string | undefined, environments: readonly string[]): Notice[] {
  const names = new Set(environments);
  if (!name || names.has(name)) return [];
  const near = nearestName(name, names);
  return [
    {
      what: `environment ${name} has no integrations`,
      next: near === undefined ? `environments with integrations: ${[...names].join(", ")}` : `did you mean ${near}?`,
    },
  ];
}
