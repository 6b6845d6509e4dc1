import { Semaphore, silentLogger, systemClock } from "#base";
import { ApiError, defaultFieldManager, type KubeClient, type KubeObject } from "#kube";
import type { ClusterClients } from "../current/cluster-clients.ts";
import { findAutoscalers } from "../current/find-autoscalers.ts";
import { ownerOf } from "../object/attribution.ts";
import { planChanges } from "../plan/plan-changes.ts";
import type { Action, Plan, PlanOptions } from "../plan/plan.ts";
import { delayAbort } from "./delayed-abort.ts";
import { type ActionOutcome, isFailure, NotDone } from "./outcome.ts";
import type { RealizeOptions, RealizeSettings } from "./realize-options.ts";
import { ActionRunner, notTried } from "./run-action.ts";
import { clusterScope, type ResourceInventory } from "../resource-inventory.ts";

/**
 * Carries a plan out, and is the only place that writes to clusters. Clusters do not wait for each other, and what fails concerns
 * nothing else, except that of the same thing nothing is deleted then. Never rejects because of an object: there is an outcome for each
 * action, in the order of the plan. An abort leaves the rest undone, as `skipped`; what has begun gets some seconds to end.
 */
export async function realizePlan(
  plan: Plan,
  clusters: ClusterClients,
  options: RealizeOptions,
  signal: AbortSignal,
): Promise<ActionOutcome[]> {
  const settings: RealizeSettings = {
    ...options,
    plan,
    clusters,
    dryRun: options.dryRun ?? false,
    threadPoolSize: options.threadPoolSize ?? 10,
    fieldManager: options.fieldManager ?? defaultFieldManager,
    waitForNamespace: options.waitForNamespace ?? false,
    waitMs: options.waitMs ?? 120_000,
    log: options.log ?? silentLogger,
    clock: options.clock ?? systemClock,
  };
  const byCluster = Map.groupBy(plan.actions, ({ cluster }) => cluster);
  const parts = await Promise.all(
    [...byCluster].map(([cluster, actions]) => realizeCluster(cluster, actions, settings, signal)),
  );
  const outcomes = new Map<Action, ActionOutcome>();
  for (const part of parts) for (const [action, outcome] of part) outcomes.set(action, outcome);
  return plan.actions.flatMap((action) => outcomes.get(action) ?? []);
}

export interface RealizeDataOptions extends RealizeOptions, PlanOptions {
  readonly inventory: ResourceInventory;
  readonly clusters: ClusterClients;
}

export interface Realized {
  readonly plan: Plan;
  readonly outcomes: readonly ActionOutcome[];
  /** Whether nothing is in error: neither in the plan nor in carrying it out. */
  readonly isSuccess: boolean;
}

/** Plans and applies in one go. To see the plan in between, use `planChanges` and `realizePlan`. */
export async function realizeData(options: RealizeDataOptions, signal: AbortSignal): Promise<Realized> {
  await findAutoscalers(options.inventory, options.clusters, options, signal);
  const plan = planChanges(options.inventory, options);
  for (const { cluster, namespace, kind, name, reason, next, isError } of plan.refusals) {
    options.log?.[isError ? "error" : "warn"](`[${cluster}/${namespace}] ${reason}`, { kind, name, next });
  }
  const outcomes = await realizePlan(plan, options.clusters, options, signal);
  return { plan, outcomes, isSuccess: succeeded(plan, outcomes) };
}

/** Whether a run may end with exit code 0. */
export function succeeded(plan: Pick<Plan, "errors" | "refusals">, outcomes: readonly ActionOutcome[]): boolean {
  return plan.errors.length === 0 && !plan.refusals.some(({ isError }) => isError) && !outcomes.some(isFailure);
}

/** How long a write that has begun may go on after an abort. */
const graceMs = 10_000;

/** Fewer than so many objects are looked for one by one. */
const fewObjects = 5;

/**
 * Carries out what a plan has for one cluster: first what is written, objects without a namespace before the others, and in a namespace
 * kind after kind; then what is deleted, unless something of the same thing has failed.
 */
async function realizeCluster(
  cluster: string,
  actions: readonly Action[],
  settings: RealizeSettings,
  signal: AbortSignal,
): Promise<ReadonlyMap<Action, ActionOutcome>> {
  const outcomes = new Map<Action, ActionOutcome>();
  if (!settings.clusters.get(cluster)) {
    const { what, next } = settings.clusters.explain(cluster);
    settings.log.error("cluster left out", { cluster, error: what });
    for (const action of actions) outcomes.set(action, notTried(action, { state: "failed", reason: what, next }));
    return outcomes;
  }
  using begun = delayAbort(signal, graceMs, settings.clock);
  const runner = new ActionRunner(cluster, settings);
  const places = new Semaphore(settings.threadPoolSize);

  async function runKind(group: readonly Action[]): Promise<void> {
    const taken = await lookForTaken(group);
    await Promise.all(
      group.map(async (action) => {
        const faulty = action.action === "create" ? taken(action.name) : undefined;
        const outcome = faulty
          ? runner.fail(action, faulty)
          : await places.run(() => runner.run(action, signal, begun.signal));
        outcomes.set(action, outcome);
        settings.onOutcome?.(outcome);
      }),
    );
  }

  /** Why an object cannot be created, by its name. If the names cannot be read, none is created. */
  async function lookForTaken(group: readonly Action[]): Promise<(name: string) => unknown> {
    try {
      const created = group.filter(({ action }) => action === "create");
      const taken = await Promise.all(
        [...Map.groupBy(created, ({ privileged }) => privileged)].map(([privileged, part]) =>
          findTaken(part, settings.clusters.get(cluster, { privileged }), signal),
        ),
      );
      return (name) => taken.find((part) => part.has(name))?.get(name);
    } catch (error) {
      return () => (signal.aborted ? undefined : error);
    }
  }

  async function runNamespace(namespace: string, inScope: readonly Action[]): Promise<void> {
    for (const group of Map.groupBy(inScope, ({ apiVersion, kind }) => `${apiVersion} ${kind}`).values()) {
      await runKind(group);
      await runner.findUsers(namespace, signal);
    }
  }

  async function runScopes(scopes: ReadonlyMap<string, readonly Action[]>): Promise<void> {
    await Promise.all([...scopes].map(([namespace, inScope]) => runNamespace(namespace, inScope)));
  }

  const [deletions, writes] = [actions.filter(isDeletion), actions.filter((action) => !isDeletion(action))];
  const [outside, inside] = byScope(writes);
  await runScopes(outside);
  await runScopes(inside);
  for (const [action, failure] of await runner.recycle(signal)) {
    const outcome = outcomes.get(action);
    if (outcome) outcomes.set(action, { ...outcome, ...failure });
  }
  const before = settings.failedBefore?.filter((action) => action.cluster === cluster && !isDeletion(action)) ?? [];
  const failed = new Set(
    [...before, ...writes.filter((action) => isFailed(outcomes.get(action)))].map(({ attribution }) => attribution),
  );
  for (const deletion of deletions) if (mayConcern(failed, deletion)) outcomes.set(deletion, runner.withhold(deletion));
  const [outsideGone, insideGone] = byScope(deletions.filter((deletion) => !outcomes.has(deletion)));
  await runScopes(insideGone);
  await runScopes(outsideGone);
  return outcomes;
}

function isDeletion({ action }: Action): boolean {
  return action === "delete";
}

/** Those without a namespace, and the others by theirs. */
function byScope(actions: readonly Action[]): [Map<string, Action[]>, Map<string, Action[]>] {
  const outside = actions.filter(({ namespace }) => namespace === clusterScope);
  const inside = actions.filter(({ namespace }) => namespace !== clusterScope);
  return [Map.groupBy(outside, ({ namespace }) => namespace), Map.groupBy(inside, ({ namespace }) => namespace)];
}

function isFailed(outcome: ActionOutcome | undefined): boolean {
  return outcome === undefined || isFailure(outcome);
}

/** Whether failures of these things may mean that an object which seems to be unwanted is not. What says nothing may be anything. */
function mayConcern(failed: ReadonlySet<string | undefined>, { attribution }: Action): boolean {
  if (failed.size === 0) return false;
  return attribution === undefined || failed.has(undefined) || failed.has(attribution);
}

/**
 * Names of objects that the plan creates and that exist by now. Server-side apply would change such an object, and has no option
 * not to; one metadata-only list is cheaper than a read of each.
 */
async function findTaken(
  created: readonly Action[],
  client: KubeClient | undefined,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, NotDone>> {
  const [first] = created;
  if (!client || !first) return new Map();
  const { apiVersion, kind } = first;
  const namespace = first.namespace === clusterScope ? undefined : first.namespace;
  const scope = { apiVersion, kind, namespace, metadataOnly: true };
  try {
    const found =
      created.length < fewObjects
        ? await findEach(created, client, scope, signal)
        : (await client.list(scope, signal)).items;
    return new Map(found.map((object) => [object.metadata.name, takenBy(object)]));
  } catch (error) {
    // Without the right to read, the plan has to be relied on.
    if (error instanceof ApiError && error.isForbidden) return new Map();
    throw error;
  }
}

async function findEach(
  created: readonly Action[],
  client: KubeClient,
  scope: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace: string | undefined;
    readonly metadataOnly: boolean;
  },
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const found = await Promise.all(created.map(({ name }) => client.find({ ...scope, name }, signal)));
  return found.filter((object) => object !== undefined);
}

function takenBy({ metadata }: KubeObject): NotDone {
  const owner = ownerOf(metadata);
  const by = owner === undefined ? "" : ` by ${owner}`;
  return new NotDone("refused", `was created${by} since the plan was made`, "plan again");
}
