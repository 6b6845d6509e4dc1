import { type Clock, type Logger, type Metrics, silentLogger } from "#base";
import { ClusterClients, fetchCurrentState, type ResourceInventory, resolveKind } from "#inventory";
import type { DataClusterSource } from "../clusters/data-clusters.ts";
import type { ClusterData } from "../data/integration.ts";
import type { Desired, DesiredOptions } from "../desired/desired.ts";
import { managerIdentity } from "../manager-defaults.ts";
import type { NamespaceMemory } from "./remembered-namespaces.ts";
import { dropRenamed, refuseSameNamespaces } from "./same-namespaces.ts";
import { type NamespaceSurvey, type SurveyedNamespace, surveyNamespaces, targetKey } from "./survey-namespaces.ts";

/** Something that people should know and that is not a failure. */
export interface Notice {
  readonly what: string;
  readonly where?: string | undefined;
  readonly next?: string | undefined;
}

export interface SurveyOptions {
  /** What the run is narrowed to. */
  readonly desire: Pick<DesiredOptions, "upstream" | "environment" | "integration" | "cluster" | "namespace">;
  /** How clusters are reached; `clusterSources`, or `sources` of a `ClusterPool`. */
  readonly reach: (clusters: readonly ClusterData[]) => readonly DataClusterSource[];
  /** All kinds that are managed; default: Deployment, StatefulSet, CronJob, Service, and every kind that the chart rendered. */
  readonly managedKinds?: readonly string[] | undefined;
  /** Without it, namespaces that lose their last integration are not cleaned up. */
  readonly memory?: NamespaceMemory | undefined;
  /** Only these namespaces, as `cluster/namespace`. */
  readonly only?: ReadonlySet<string> | undefined;
  /** Clusters, and reads of each, at once; default 10. */
  readonly threadPoolSize?: number | undefined;
  readonly log?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
  readonly clock?: Clock | undefined;
  /** Called after each list of live objects: how many of how many are read. */
  readonly onRead?: ((done: number, total: number) => void) | undefined;
}

/** The live objects of all namespaces that a run looks at. Disposing of it closes its connections. */
export interface Survey extends AsyncDisposable {
  readonly inventory: ResourceInventory;
  readonly clusters: ClusterClients;
  readonly namespaces: readonly SurveyedNamespace[];
  readonly warnings: readonly Notice[];
}

/** Connects to the clusters and reads the live objects there. Nothing is written. */
export async function surveyClusters(desired: Desired, options: SurveyOptions, signal: AbortSignal): Promise<Survey> {
  const { desire, managedKinds, metrics, threadPoolSize, log = silentLogger, only } = options;
  const remembered = (await options.memory?.read(signal)) ?? [];
  const survey = surveyNamespaces(desired, remembered, { ...desire, only }, managedKinds);
  const sources = options.reach(clustersOf(survey));
  const clusters = await ClusterClients.connect(sources, { threadPoolSize }, signal);
  try {
    const warnings: Notice[] = [...desired.warnings, ...survey.markedForDeletion.map(describeMarked)];
    const namespaces = dropLost(dropRenamed(survey.namespaces, sources), clusters, warnings);
    const clusterScoped = await findClusterScoped(desired, clusters, signal);
    const { inventory } = await fetchCurrentState(
      {
        ...managerIdentity,
        namespaces: namespaces.map(({ cluster, namespace, kinds }) => ({
          cluster: cluster.name,
          namespace,
          managedKinds: kinds.filter((kind) => !clusterScoped.get(cluster.name)?.has(kind)),
        })),
        managedKinds: [],
        clusters,
        threadPoolSize,
        log,
        metrics,
        clock: options.clock,
        onRead: options.onRead,
      },
      signal,
    );
    refuseSameNamespaces(namespaces, sources, inventory);
    const dispose = (): Promise<void> => clusters[Symbol.asyncDispose]();
    return { inventory, clusters, namespaces, warnings, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await clusters[Symbol.asyncDispose]();
    throw error;
  }
}

function clustersOf({ namespaces }: NamespaceSurvey): ClusterData[] {
  return [...new Map(namespaces.map(({ cluster }) => [cluster.name, cluster])).values()];
}

/**
 * Without clusters that are skipped, and without unreachable clusters that only the memory names: no integration runs there, so
 * they are a warning and not a failure.
 */
function dropLost(
  namespaces: readonly SurveyedNamespace[],
  clusters: ClusterClients,
  warnings: Notice[],
): readonly SurveyedNamespace[] {
  const desired = new Set(namespaces.filter(({ isOrphan }) => !isOrphan).map(({ cluster }) => cluster.name));
  const isLost = ({ cluster: { name } }: SurveyedNamespace): boolean =>
    !desired.has(name) && !clusters.isSkipped(name) && !clusters.get(name);
  for (const { cluster, namespace } of namespaces.filter(isLost)) {
    warnings.push({
      where: targetKey(cluster.name, namespace),
      what: `no integration runs here any more, and what is left cannot be removed: ${clusters.explain(cluster.name).what}`,
      next: `make the cluster reachable; if it is gone for good, run \`tenon forget cluster ${cluster.name}\``,
    });
  }
  return namespaces.filter((each) => !isLost(each) && !clusters.isSkipped(each.cluster.name));
}

/** Cluster-scoped kinds of the chart, by cluster: the manager manages namespaces only. */
async function findClusterScoped(
  { groups }: Desired,
  clusters: ClusterClients,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const kinds = new Set(groups.flatMap((group) => group.kinds));
  const names = new Set(groups.map(({ namespace }) => namespace.cluster.name));
  const found = new Map<string, ReadonlySet<string>>();
  for (const name of names) {
    const resources = (await clusters.get(name)?.discovery.resources(signal)) ?? [];
    const isClusterScoped = (kind: string): boolean => {
      try {
        return resolveKind(kind, resources)?.isNamespaced === false;
      } catch {
        // An ambiguous kind: reading it reports the error.
        return false;
      }
    };
    found.set(name, new Set([...kinds].filter(isClusterScoped)));
  }
  return found;
}

function describeMarked({ path, name, cluster }: Desired["namespaces"][number]): Notice {
  return {
    where: path,
    what: `namespace ${name} on ${cluster.name} is marked for deletion: nothing changes there`,
    next: "give its integrations another namespace",
  };
}
