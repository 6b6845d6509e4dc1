import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { isRecord } from "#base";
import type { UnparsedData } from "#bundle";
import type { Plan } from "#inventory";
import type { KubeClient } from "#kube";
import type { DataClusterSource } from "../clusters/data-clusters.ts";
import type { ClusterData } from "../data/integration.ts";
import { desiredKey, type DesiredStore } from "../desired/kept-desired.ts";
import type { RememberedNamespace } from "../survey/remembered-namespaces.ts";
import type { Notice } from "../survey/survey-clusters.ts";
import type { ClusterAnswers, KnownAnswer } from "./cluster-answers.ts";
import { planFromData, type PlanFromDataOptions, type PlannedRun, withFormerClusters } from "./plan-desired.ts";

export interface RecallPlanOptions extends PlanFromDataOptions {
  readonly data: UnparsedData;
  /** Stands between the clients that `reach` opens and their clusters. */
  readonly answers: ClusterAnswers;
}

/** A plan to look at: it cannot be carried out, because the objects may not have been read. */
export interface ViewedPlan {
  readonly plan: Plan;
  readonly warnings: readonly Notice[];
  /** The environments that integrations run in. */
  readonly environments: readonly string[];
}

interface KeptPlan extends ViewedPlan {
  /** The clusters of the plan, and how they were reached. */
  readonly clusters: readonly ClusterData[];
  readonly sources: readonly SourceFacts[];
  readonly answers: readonly KnownAnswer[];
  /** The parameters that a variable of the process would change. */
  readonly parameters: readonly string[];
}

interface SourceFacts {
  readonly name: string;
  readonly endpoint: string;
  readonly skip: string | undefined;
}

/**
 * The plan that an earlier run made, if it said that nothing is to be done and everything is as it was: data, chart, options and code by
 * the key of its desired state, and each answer of the clusters by its hash. Otherwise the plan is made, with the answers that are
 * there.
 */
export async function viewPlan(options: RecallPlanOptions, signal: AbortSignal): Promise<ViewedPlan> {
  const { kept, memory } = options;
  const remembered = (await memory?.read(signal)) ?? [];
  const desire = await withFormerClusters(options.desire, memory, signal);
  const keys = kept && keysOf({ ...options, desire }, remembered, kept);
  const clients = new ClientsOfRun(options.reach);
  try {
    const known = keys && parse(kept.find(keys.plan));
    if (known && (await isCurrent(known, options, clients, signal))) return known;
    const planned = await planFromData(
      {
        ...options,
        reach: clients.reach,
        // Read once: what is planned and what the plan is kept for are the same.
        memory: memory && { read: async () => remembered, update: memory.update.bind(memory) },
      },
      signal,
    );
    await using _ = planned;
    const viewed = viewOf(planned);
    const { known: answers } = options.answers;
    const parameters = parametersOf(planned);
    const isOwn = parameters.every((name) => desire.processEnv[name] === undefined);
    if (keys && answers && isOwn && isQuiet(planned) && kept.find(keys.desired) !== undefined) {
      const { clusters, sources } = clients;
      kept.keep(keys.plan, JSON.stringify({ ...viewed, clusters, sources, answers, parameters }));
    }
    return viewed;
  } finally {
    await clients[Symbol.asyncDispose]();
  }
}

function viewOf({ plan, warnings, desired }: PlannedRun): ViewedPlan {
  return { plan, warnings, environments: [...new Set(desired.namespaces.map(({ environment }) => environment.name))] };
}

function parametersOf({ desired }: PlannedRun): readonly string[] {
  return [...new Set(desired.groups.flatMap((group) => [...group.parameters.keys()]))];
}

/** Whether nothing is to be done and nothing is wrong: a message about something wrong may depend on more than the answers. */
function isQuiet({ plan, clusters }: PlannedRun): boolean {
  const { actions, refusals, errors } = plan;
  return actions.length + refusals.length + errors.length + clusters.unreachable.length === 0;
}

/** Undefined if a plan may depend on more than these. */
function keysOf(
  options: RecallPlanOptions,
  remembered: readonly RememberedNamespace[],
  { code }: DesiredStore,
): { readonly desired: string; readonly plan: string } | undefined {
  const { data, desire, base, only, answers: _, reach: __, memory: ___, kept: ____, ...rest } = options;
  const { log: _____, metrics: ______, clock: _______, onRead: ________, ...choices } = rest;
  const desired = base || only ? undefined : desiredKey(data, desire, code);
  const given = Object.fromEntries(Object.entries(choices).filter(([, value]) => value !== undefined));
  const written = JSON.stringify(given);
  if (desired === undefined || !isDeepStrictEqual(JSON.parse(written), given)) return undefined;
  return { desired, plan: hash("sha256", JSON.stringify(["plan", desired, written, remembered])) };
}

async function isCurrent(
  { clusters, sources, answers, parameters }: KeptPlan,
  options: RecallPlanOptions,
  clients: ClientsOfRun,
  signal: AbortSignal,
): Promise<boolean> {
  if (parameters.some((name) => options.desire.processEnv[name] !== undefined)) return false;
  clients.reach(clusters);
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(clients.sources)), sources)) return false;
  try {
    const opened = await clients.openAll(signal);
    const same = await Promise.all(
      answers.map(async (answer) => {
        const client = opened.get(answer.cluster);
        return client !== undefined && (await options.answers.isSame(answer, client.transport, signal));
      }),
    );
    return same.every(Boolean);
  } catch {
    // Making the plan says what is wrong.
    signal.throwIfAborted();
    return false;
  }
}

/** Opens each client of a run once, for comparing answers and for planning. */
class ClientsOfRun implements AsyncDisposable {
  clusters: readonly ClusterData[] = [];
  sources: readonly SourceFacts[] = [];
  readonly #reach: PlanFromDataOptions["reach"];
  readonly #opened = new Map<string, Promise<KubeClient>>();
  #reached: readonly DataClusterSource[] = [];

  constructor(reach: PlanFromDataOptions["reach"]) {
    this.#reach = reach;
  }

  readonly reach = (clusters: readonly ClusterData[]): readonly DataClusterSource[] => {
    this.clusters = clusters;
    this.#reached = this.#reach(clusters);
    this.sources = this.#reached.map(({ name, endpoint, skip }) => ({ name, endpoint, skip }));
    return this.#reached.map((source) => ({ ...source, open: (signal) => this.#open(source, signal) }));
  };

  async openAll(signal: AbortSignal): Promise<ReadonlyMap<string, KubeClient>> {
    const reached = this.#reached.filter(({ skip }) => skip === undefined);
    return new Map(
      await Promise.all(reached.map(async (source) => [source.name, await this.#open(source, signal)] as const)),
    );
  }

  #open(source: DataClusterSource, signal: AbortSignal): Promise<KubeClient> {
    const known = this.#opened.get(source.name);
    if (known) return known;
    const opening = source.open(signal);
    this.#opened.set(source.name, opening);
    // One that failed is tried again by the plan, which says what is wrong.
    opening.catch(() => this.#opened.delete(source.name));
    return opening;
  }

  /** Ending a connection that the survey has ended already does nothing. */
  async [Symbol.asyncDispose](): Promise<void> {
    const opened = await Promise.allSettled(this.#opened.values());
    await Promise.allSettled(
      opened.map(async (one) => one.status === "fulfilled" && (await one.value.transport[Symbol.asyncDispose]())),
    );
  }
}

function parse(text: string | undefined): KeptPlan | undefined {
  try {
    const parsed: unknown = text === undefined ? undefined : JSON.parse(text);
    return isKept(parsed) ? parsed : undefined;
  } catch {
    // Cut off by a full disk, say.
    return undefined;
  }
}

function isKept(value: unknown): value is KeptPlan {
  return isRecord(value) && isRecord(value["plan"]) && Array.isArray(value["answers"]);
}
