import { describeError, InputError, silentLogger } from "#base";
import type { LoadedData, UnparsedData } from "#bundle";
import {
  type DeletionLimits,
  findAutoscalers,
  foreignCaller,
  type IgnoredDifference,
  type InventoryEntry,
  liveAttribution,
  type ManagedObject,
  type Plan,
  planChanges,
  publishMetrics,
  type ResourceInventory,
} from "#inventory";
import { fieldLocator } from "../data/integration-finding.ts";
import { changedNamespaces, desiredDocument } from "../desired/desired-document.ts";
import type { Desired, DesiredNamespace, DesiredOptions, IntegrationError } from "../desired/desired.ts";
import { type DesiredStore, recallDesired } from "../desired/kept-desired.ts";
import { defaultUpstream, managerIdentity } from "../manager-defaults.ts";
import { findMissingNamespaces, planNamespaces } from "../order/missing-namespaces.ts";
import { planMoves } from "../order/plan-moves.ts";
import { planRollout, requireCanary, type Rollout } from "../order/plan-rollout.ts";
import { planWaves } from "../order/plan-waves.ts";
import { guardSelf, type OwnWorkload } from "./guard-self.ts";
import { type NamespaceMemory, type RememberedNamespace, rememberNamespaces } from "../survey/remembered-namespaces.ts";
import { findSuspended, howToResume, type Suspended, type SuspendedIntegration } from "../suspend/find-suspended.ts";
import { type Notice, type Survey, surveyClusters, type SurveyOptions } from "../survey/survey-clusters.ts";
import { targetKey, toRemember, withIntegrations } from "../survey/survey-namespaces.ts";

export interface PlanDesiredOptions extends SurveyOptions {
  readonly takeOverFrom?: readonly string[] | undefined;
  /** Differences that are left as they are. */
  readonly ignoreDifferences?: readonly IgnoredDifference[] | undefined;
  readonly deletions?: DeletionLimits | undefined;
  readonly deletionsConfirmed?: boolean | undefined;
  /** Creates namespaces of the data that do not exist; default: what belongs in them is held back. */
  readonly createsNamespaces?: boolean | undefined;
  /** One cluster gets every change first; default: all get it at once. */
  readonly rollout?: Rollout | undefined;
  /** The workload whose pod runs this manager. */
  readonly ownWorkload?: OwnWorkload | undefined;
  /** Plans as if nothing were suspended. */
  readonly ignoresSuspension?: boolean | undefined;
}

export interface PlanFromDataOptions extends PlanDesiredOptions {
  /** Files that are not parsed yet stay so if the desired state is known. */
  readonly data: LoadedData | UnparsedData;
  readonly desire: DesiredOptions;
  /** Data to compare with: only namespaces whose desired state differs from it are looked at. For dry runs. */
  readonly base?: LoadedData | undefined;
  /** Desired states of earlier runs; each is computed when absent. */
  readonly kept?: DesiredStore | undefined;
}

/** A plan, with the survey it was made from. */
export interface PlannedRun extends Survey {
  readonly plan: Plan;
  readonly desired: Desired;
  readonly suspended: Suspended;
  /** The run looks at some integrations only. */
  readonly isNarrowed: boolean;
  /** Something in the plan waits for something else, or is held back because of it. */
  readonly isOrdered: boolean;
}

/** Computes the desired state from the data, surveys the clusters, and plans the difference. Nothing is written. */
export async function planFromData(options: PlanFromDataOptions, signal: AbortSignal): Promise<PlannedRun> {
  const { base, memory } = options;
  const data = asRead(options.data);
  const desire = await withFormerClusters(options.desire, memory, signal);
  const compute = async (chosen: DesiredOptions): Promise<Desired> => {
    const loaded = await data.parse(signal);
    return await computeNow(loaded, withLines(chosen, loaded), signal);
  };
  const desired = await recallDesired(data, desire, options.kept, compute);
  const affected = base && (await findAffected(base, desired, options, signal));
  return await planDesired(desired, affected ? { ...options, ...affected } : options, signal);
}

/** Messages about parsed files begin with the names that these have, which the first of them shows. */
function asRead(data: LoadedData | UnparsedData): UnparsedData {
  if ("parse" in data) return data;
  const [file] = data.bundle?.datafiles.values() ?? [];
  return {
    identity: data.identity,
    ...(data.bundle && { location: file?.file ?? file?.path ?? "" }),
    parse: async () => data,
  };
}

/** Loads the code for it: a command that recalls the desired state does without. */
async function computeNow(data: LoadedData, options: DesiredOptions, signal: AbortSignal): Promise<Desired> {
  const { computeDesired } = await import("../desired/compute-desired.ts");
  return await computeDesired(data, options, signal);
}

/** Surveys the clusters and plans how they get from there to the desired state. Nothing is written. */
export async function planDesired(
  desired: Desired,
  options: PlanDesiredOptions,
  signal: AbortSignal,
): Promise<PlannedRun> {
  const survey = await surveyClusters(desired, options, signal);
  try {
    const { inventory } = survey;
    addAllDesired(desired, inventory, options.desire);
    await findAutoscalers(inventory, survey.clusters, options, signal);
    if (options.metrics) publishMetrics(inventory, managerIdentity.integration, options.metrics);
    const suspended = findSuspended(desired, inventory, liveAttribution(namesOf(desired)));
    const holdBack = options.ignoresSuspension ? undefined : suspended.holdBack;
    const changes = planChanges(inventory, { ...planOptions(desired, options), ...(holdBack ? { holdBack } : {}) });
    const missing = await findMissingNamespaces(changes, inventory, survey.clusters, signal);
    const possible = planNamespaces(changes, missing, options.createsNamespaces ?? false);
    const plan = planOrder(possible, desired, inventory, options);
    return {
      ...survey,
      namespaces: withIntegrations(survey.namespaces, inventory, liveAttribution(namesOf(desired))),
      desired,
      suspended,
      isNarrowed: options.desire.integration !== undefined,
      isOrdered:
        plan.refusals.length > possible.refusals.length || plan.actions.some(({ waitsFor }) => waitsFor !== undefined),
      warnings: [
        ...survey.warnings,
        ...(holdBack ? suspended.integrations.map(describeSuspended) : []),
        ...noteMissingCanary(options, inventory),
      ],
      plan: guardSelf(plan, options.ownWorkload, options.deletionsConfirmed ?? false),
    };
  } catch (error) {
    await survey[Symbol.asyncDispose]();
    throw error;
  }
}

/** What waits for what: moves for their destinations, waves for each other, all clusters for the canary. */
function planOrder(
  plan: Plan,
  desired: Desired,
  inventory: ResourceInventory,
  { rollout, deletionsConfirmed = false }: PlanDesiredOptions,
): Plan {
  const moved = planMoves(plan, inventory, liveAttribution(namesOf(desired)), deletionsConfirmed);
  const waved = planWaves(moved, desired);
  if (!rollout) return waved;
  requireCanary(rollout, new Set(desired.namespaces.map(({ cluster }) => cluster.name)));
  return planRollout(waved, rollout, inventory);
}

/** A run that does not look at the canary cannot wait for it. */
function noteMissingCanary({ rollout, only }: PlanDesiredOptions, inventory: ResourceInventory): Notice[] {
  if (!rollout || only || [...inventory].some(({ cluster }) => cluster === rollout.canary)) return [];
  return [
    {
      what: `this run does not look at the canary cluster ${rollout.canary}, so nothing waits for it`,
      next: "leave out the option that hides it, if that is not intended",
    },
  ];
}

function describeSuspended(one: SuspendedIntegration): Notice {
  const { integration, cluster, namespace, reason } = one;
  return {
    where: targetKey(cluster, namespace),
    what: `${integration} is suspended: ${reason}`,
    next: howToResume(one),
  };
}

function planOptions(desired: Desired, options: PlanDesiredOptions): Parameters<typeof planChanges>[1] {
  const { desire, takeOverFrom = [], ignoreDifferences, deletions, deletionsConfirmed = false } = options;
  const narrowed = desire.integration && new Set(desire.integration);
  return {
    ...managerIdentity,
    caller: desire.upstream || undefined,
    // The data says which upstream an integration has: one that changed hands is taken over. `addAllDesired` decides what several share.
    allCallers: [],
    takeOverFrom,
    ignoreDifferences,
    ...(deletions ? { deletions } : {}),
    deletionsConfirmed,
    declared: desired.declared,
    attributionOf: liveAttribution(namesOf(desired)),
    ...(narrowed ? { isVisible: ({ attribution }) => attribution !== undefined && narrowed.has(attribution) } : {}),
  };
}

/**
 * The namespaces that a change of the data affects; undefined if that is not known, and then all are looked at. The messages of
 * the base are not shown, so their lines are not looked up.
 */
async function findAffected(
  base: LoadedData,
  desired: Desired,
  options: PlanFromDataOptions,
  signal: AbortSignal,
): Promise<Pick<PlanDesiredOptions, "only" | "memory"> | undefined> {
  const { desire, log = silentLogger } = options;
  // What failed has no document, and must not count as unchanged.
  if (desired.errors.length > 0) return undefined;
  try {
    const before = await computeNow(base, { ...desire, locate: undefined }, signal);
    if (before.errors.length > 0) return undefined;
    const only = changedNamespaces(desiredDocument(before), desiredDocument(desired));
    const caller = desire.upstream || defaultUpstream;
    const former = before.groups.map(({ namespace, kinds }) => toRemember(namespace, caller, kinds));
    return { only, memory: alsoRemembering(former, options.memory) };
  } catch (error) {
    signal.throwIfAborted();
    log.warn("cannot compare with the base; planning everything", { error: describeError(error) });
    return undefined;
  }
}

/** Where the base has integrations and the data no longer does, there is something to clean up. Read-only. */
function alsoRemembering(former: readonly RememberedNamespace[], memory: NamespaceMemory | undefined): NamespaceMemory {
  return {
    read: async (signal) => rememberNamespaces((await memory?.read(signal)) ?? [], former),
    update: async () => {},
  };
}

/** `--cluster` and `--namespace` may name what has lost its last integration, to clean it up. */
export async function withFormerClusters(
  desire: DesiredOptions,
  memory: NamespaceMemory | undefined,
  signal: AbortSignal,
): Promise<DesiredOptions> {
  if ((!desire.cluster && !desire.namespace) || !memory) return desire;
  const remembered = await memory.read(signal);
  return {
    ...desire,
    formerClusters: remembered.map(({ cluster }) => cluster.name),
    formerNamespaces: remembered.map(({ namespace }) => namespace),
  };
}

/** Where the files are at hand, messages name the line. */
export function withLines(desire: DesiredOptions, { find }: LoadedData): DesiredOptions {
  return desire.locate || !find ? desire : { ...desire, locate: fieldLocator(find) };
}

type Narrowed = SurveyOptions["desire"];

/** Adds the desired objects, and the errors of those that could not be computed, to the live objects of a survey. */
function addAllDesired(desired: Desired, inventory: ResourceInventory, narrowed: Narrowed): void {
  const running = desired.errors.some(({ isFileInvalid }) => isFileInvalid)
    ? liveIntegrations(desired, inventory)
    : none;
  for (const error of desired.errors) registerDesiredError(error, desired, inventory, running);
  const entries = Map.groupBy(inventory, ({ cluster, namespace }) => targetKey(cluster, namespace));
  for (const group of desired.groups) {
    const { cluster, name } = group.namespace;
    const found = entries.get(targetKey(cluster.name, name));
    if (found) addGroup(group, found, { inventory, narrowed, callers: desired.callers });
  }
}

const none: ReadonlySet<string> = new Set();

/** The integrations that the live objects belong to. */
function liveIntegrations(desired: Desired, inventory: ResourceInventory): ReadonlySet<string> {
  const attribute = liveAttribution(namesOf(desired));
  const objects = [...inventory].flatMap(({ current }) => Array.from(current.values()));
  return new Set(objects.flatMap(({ metadata }) => attribute(metadata) ?? []));
}

function namesOf({ declared, errors }: Desired): ReadonlySet<string> {
  return new Set([...declared, ...errors.map(({ integration }) => integration)]);
}

/**
 * An integration whose file is invalid and that runs nowhere under its name may have had another one before. So the error
 * concerns every integration that is not in the data.
 */
function registerDesiredError(
  error: IntegrationError,
  desired: Desired,
  inventory: ResourceInventory,
  running: ReadonlySet<string>,
): void {
  const { integration, where, what, next, namespace: path, isFileInvalid = false } = error;
  const target = path === undefined ? undefined : desired.namespaces.find((namespace) => namespace.path === path);
  inventory.registerError({
    stage: "desired",
    ...(isFileInvalid && !running.has(integration) ? { spares: desired.names } : { attribution: integration }),
    cluster: target?.cluster.name ?? error.cluster,
    namespace: target?.name,
    what: where === undefined ? what : `${where}: ${what}`,
    next,
  });
}

interface Adding {
  readonly inventory: ResourceInventory;
  readonly callers: ReadonlySet<string>;
  readonly narrowed: Narrowed;
}

function addGroup(
  {
    namespace: {
      cluster: { name: cluster },
      name: namespace,
    },
    resources,
  }: DesiredNamespace,
  entries: readonly InventoryEntry[],
  adding: Adding,
): void {
  const { inventory } = adding;
  const states = new Map(entries.map((entry) => [entry.type, entry]));
  for (const resource of resources) {
    const type = typesOf(resource).find((each) => states.has(each)) ?? resource.kindAndGroup;
    const state = states.get(type);
    if (isOfAnotherManager(resource, state?.current.get(resource.name), adding)) continue;
    if (state?.desired.get(resource.name)?.sha256() === resource.sha256()) continue;
    try {
      inventory.addDesired({ cluster, namespace, kind: type, name: resource.name, value: resource });
    } catch (error) {
      const what = error instanceof InputError ? error.message : describeError(error);
      inventory.registerError({ stage: "desired", cluster, namespace, attribution: resource.attribution, what });
    }
  }
}

function typesOf({ kind, kindAndGroup, apiVersion }: ManagedObject): string[] {
  return [kind, kindAndGroup, `${kindAndGroup}/${apiVersion.split("/").at(-1)}`];
}

/** What several integrations share belongs to the manager that made it, for as long as that one runs. */
function isOfAnotherManager(
  { attribution }: ManagedObject,
  live: ManagedObject | undefined,
  { callers, narrowed: { upstream } }: Adding,
): boolean {
  if (attribution !== undefined || !live) return false;
  return foreignCaller(live.metadata, { caller: upstream || undefined, allCallers: [...callers] }) !== undefined;
}
