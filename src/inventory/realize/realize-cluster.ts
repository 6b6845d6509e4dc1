import { Semaphore } from "#base";
import { ApiError, type KubeClient, type KubeObject } from "#kube";
import type { Action } from "../plan/plan.ts";
import { isFailure, NotDone, type ActionOutcome } from "./outcome.ts";
import { ActionRunner, notTried } from "./run-action.ts";
import type { RealizeSettings } from "./realize-options.ts";
import { clusterScope } from "../resource-inventory.ts";
import { ownerOf } from "../object/attribution.ts";

/** Fewer than so many objects are looked for one by one. */
const fewObjects = 5;

/**
 * Carries out what a plan has for one cluster: first what is written, objects without a namespace before the others, and in a namespace
 * kind after kind; then what is deleted, unless something of the same thing has failed.
 */
export async function realizeCluster(
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
  const runner = new ActionRunner(cluster, settings);
  const places = new Semaphore(settings.threadPoolSize);

  async function runKind(group: readonly Action[]): Promise<void> {
    const taken = await lookForTaken(group);
    await Promise.all(
      group.map(async (action) => {
        const faulty = action.action === "create" ? taken(action.name) : undefined;
        const outcome = faulty ? runner.fail(action, faulty) : await places.run(() => runner.run(action, signal));
        outcomes.set(action, outcome);
      }),
    );
  }

  /** Why an object cannot be made, by its name. Where nobody can tell what is there, nothing is. */
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
  const failed = new Set(
    writes.filter((action) => isFailed(outcomes.get(action))).map(({ attribution }) => attribution),
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
 * Names that the plan takes for free and that are not. Server-side apply would change such an object, and there is no way to tell it
 * not to; one list, without contents, is cheaper than a look at each.
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
    // Who may write but not read has to rely on the plan.
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
