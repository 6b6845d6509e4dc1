import { silentLogger } from "#base";
import {
  ClusterClients,
  fetchCurrentState,
  liveAttribution,
  type Plan,
  planChanges,
  publishMetrics,
  type ResourceInventory,
  resolveKind,
} from "#inventory";
import type { Desired } from "../desired/desired.ts";
import { addAllDesired } from "./add-desired.ts";
import { guardSelf } from "./guard-self.ts";
import { managerIdentity } from "../desired/manager-identity.ts";
import type { LookOptions } from "./run-options.ts";
import { dropRenamed, refuseSamePlaces } from "./same-places.ts";
import { placeKey, type Survey, type SurveyedNamespace, surveyNamespaces } from "./survey-namespaces.ts";

/** Something that people should know and that is no failure. */
export interface Notice {
  readonly what: string;
  readonly where?: string | undefined;
  readonly next?: string | undefined;
}

/** What one look has found and decided. Disposing of it ends its connections. */
export interface PlannedRun extends AsyncDisposable {
  readonly plan: Plan;
  readonly desired: Desired;
  readonly inventory: ResourceInventory;
  readonly clusters: ClusterClients;
  /** Where it looked. */
  readonly namespaces: readonly SurveyedNamespace[];
  readonly warnings: readonly Notice[];
}

/** Reads the clusters and decides what has to change there for what is wanted. Nothing is written. */
export async function lookAtClusters(desired: Desired, options: LookOptions, signal: AbortSignal): Promise<PlannedRun> {
  const { desire, managedKinds, metrics, threadPoolSize, log = silentLogger, only } = options;
  const remembered = (await options.memory?.read(signal)) ?? [];
  const survey = surveyNamespaces(desired, remembered, { ...desire, only }, managedKinds);
  const sources = options.reach(clustersOf(survey));
  const clusters = await ClusterClients.connect(sources, { threadPoolSize }, signal);
  try {
    const warnings: Notice[] = [...desired.warnings, ...survey.leaving.map(tellLeaving)];
    const namespaces = dropLost(dropRenamed(survey.namespaces, sources), clusters, warnings);
    const unmanageable = await findUnmanageable(desired, clusters, signal);
    const { inventory } = await fetchCurrentState(
      {
        ...managerIdentity,
        namespaces: namespaces.map(({ cluster, namespace, kinds }) => ({
          cluster: cluster.name,
          namespace,
          managedKinds: kinds.filter((kind) => !unmanageable.get(cluster.name)?.has(kind)),
        })),
        managedKinds: [],
        clusters,
        threadPoolSize,
        log,
        metrics,
        clock: options.clock,
      },
      signal,
    );
    refuseSamePlaces(namespaces, sources, inventory);
    addAllDesired(desired, inventory, desire);
    if (metrics) publishMetrics(inventory, managerIdentity.integration, metrics);
    const plan = planChanges(inventory, planOptions(desired, options));
    const guarded = guardSelf(plan, options.ownWorkload, options.deletionsConfirmed ?? false);
    const dispose = (): Promise<void> => clusters[Symbol.asyncDispose]();
    return { plan: guarded, desired, inventory, clusters, namespaces, warnings, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await clusters[Symbol.asyncDispose]();
    throw error;
  }
}

function planOptions(desired: Desired, options: LookOptions): Parameters<typeof planChanges>[1] {
  const { desire, takeOverFrom = [], deletions, deletionsConfirmed = false } = options;
  const narrowed = desire.integration && new Set(desire.integration);
  const names = new Set([...desired.declared, ...desired.errors.map(({ integration }) => integration)]);
  return {
    ...managerIdentity,
    caller: desire.upstream || undefined,
    // Data says whose an integration is: one that changed hands is taken over. What several share was decided before.
    allCallers: [],
    takeOverFrom,
    ...(deletions ? { deletions } : {}),
    deletionsConfirmed,
    declared: desired.declared,
    attributionOf: liveAttribution(names),
    ...(narrowed ? { isVisible: ({ attribution }) => attribution !== undefined && narrowed.has(attribution) } : {}),
  };
}

function clustersOf({ namespaces }: Survey): SurveyedNamespace["cluster"][] {
  return [...new Map(namespaces.map(({ cluster }) => [cluster.name, cluster])).values()];
}

/** Without clusters that are left out. Those that were only remembered and are gone are no failure: nobody wants anything there. */
function dropLost(
  namespaces: readonly SurveyedNamespace[],
  clusters: ClusterClients,
  warnings: Notice[],
): readonly SurveyedNamespace[] {
  const wanted = new Set(namespaces.filter(({ isOrphan }) => !isOrphan).map(({ cluster }) => cluster.name));
  const isLost = ({ cluster: { name } }: SurveyedNamespace): boolean =>
    !wanted.has(name) && !clusters.isSkipped(name) && !clusters.get(name);
  for (const { cluster, namespace } of namespaces.filter(isLost)) {
    warnings.push({
      where: placeKey(cluster.name, namespace),
      what: `no integration runs here any more, and what is left cannot be removed: ${clusters.explain(cluster.name).what}`,
      next: "make the cluster reachable, or forget it",
    });
  }
  return namespaces.filter((each) => !isLost(each) && !clusters.isSkipped(each.cluster.name));
}

/** Kinds of the chart that are in no namespace: the manager's world is namespaces. By cluster. */
async function findUnmanageable(
  { groups }: Desired,
  clusters: ClusterClients,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const kinds = new Set(groups.flatMap((group) => group.kinds));
  const names = new Set(groups.map(({ namespace }) => namespace.cluster.name));
  const found = new Map<string, ReadonlySet<string>>();
  for (const name of names) {
    const resources = (await clusters.get(name)?.discovery.resources(signal)) ?? [];
    const isOutside = (kind: string): boolean => {
      try {
        return resolveKind(kind, resources)?.isNamespaced === false;
      } catch {
        // Ambiguous: whoever reads it says so.
        return false;
      }
    };
    found.set(name, new Set([...kinds].filter(isOutside)));
  }
  return found;
}

function tellLeaving({ path, name, cluster }: Desired["namespaces"][number]): Notice {
  return {
    where: path,
    what: `namespace ${name} on ${cluster.name} is marked for deletion: nothing changes there`,
    next: "give its integrations another namespace",
  };
}
