import { InputError, systemClock } from "#base";
import { type ClusterAccess, connect, createClient, inClusterAccess, type KubeClient, loadAccess } from "#kube";
import type { ClusterData } from "../data/integration.ts";
import type { ClusterReach } from "./cluster-reach.ts";
import { type ClusterOptions, clusterSources, type DataClusterSource, serviceAccountFolder } from "./data-clusters.ts";

/**
 * The clusters of the data for a person whose credentials one API server knows: the cluster of that API server with these
 * credentials, and all others left out. The ways of `options` only say which cluster is which; their credentials are not used.
 */
export async function ownSources(
  access: ClusterAccess,
  options: ClusterOptions,
): Promise<(clusters: readonly ClusterData[]) => DataClusterSource[]> {
  const { reaches = new Map<string, ClusterReach>(), everyCluster } = options;
  const own = addressOf(access.server);
  const open = async (): Promise<KubeClient> => createClient(connect(access, options.transport));
  const byReach = new Map<ClusterReach, boolean>();
  for (const reach of [...reaches.values(), ...(everyCluster ? [everyCluster] : [])])
    byReach.set(reach, (await serverAt(reach, options)) === own);

  function isOwn({ name, serverUrl }: ClusterData): boolean {
    const reach = reaches.get(name) ?? everyCluster;
    if (reach) return byReach.get(reach) ?? false;
    return URL.canParse(serverUrl) && addressOf(new URL(serverUrl)) === own;
  }

  function ownSource({ name, endpoint, skip }: DataClusterSource, cluster: ClusterData | undefined): DataClusterSource {
    const why = skip ?? (cluster && isOwn(cluster) ? undefined : "your credentials are for another cluster");
    return { name, endpoint, open, ...(why === undefined ? {} : { skip: why }) };
  }

  return (clusters) => clusterSources(clusters, options).map((source, index) => ownSource(source, clusters[index]));
}

async function serverAt(
  reach: ClusterReach,
  { kubeconfig, env = process.env }: ClusterOptions,
): Promise<string | undefined> {
  try {
    const { server } =
      "context" in reach
        ? await loadAccess({ kubeconfig, context: reach.context, env })
        : await inClusterAccess({ env, folder: serviceAccountFolder, clock: systemClock });
    return addressOf(server);
  } catch (error) {
    // A way that cannot be used leads to no cluster; who started the console sees why in their own plan.
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

function addressOf({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/+$/, "")}`;
}
