import { type Clock, InputError, Secret, systemClock } from "#base";
import type { ClusterSource } from "#inventory";
import {
  ApiError,
  type ClusterAccess,
  connect,
  createClient,
  type Credentials,
  environmentProxy,
  inClusterAccess,
  type KubeClient,
  loadAccess,
  type Transport,
  type TransportOptions,
} from "#kube";
import type { ClusterData } from "../data/integration.ts";
import { type ClusterReach } from "./cluster-reach.ts";
import { readClusterToken } from "./cluster-token.ts";
import type { TokenStore } from "./token-stores.ts";
import { managerIdentity } from "../manager-defaults.ts";

export interface ClusterOptions {
  /** One way to all clusters: what `--context` means. */
  readonly everyCluster?: ClusterReach | undefined;
  /** For clusters by their names, before what the data says. */
  readonly reaches?: ReadonlyMap<string, ClusterReach> | undefined;
  /** The file of `--kubeconfig`. */
  readonly kubeconfig?: string | undefined;
  /** Where the tokens are that the data refers to. */
  readonly tokens?: TokenStore | undefined;
  /** Only clusters inside, or only those outside; both when absent. */
  readonly side?: "internal" | "external" | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly transport?: TransportOptions | undefined;
  /** Puts something between the client and the cluster. */
  readonly wrap?: ((cluster: string, transport: Transport) => Transport) | undefined;
}

/** A cluster of the data, and which one it really is: two with one endpoint are the same. */
export interface DataClusterSource extends ClusterSource {
  readonly endpoint: string;
}

export const serviceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** How clusters of the data are reached: as the user says, else as the data does. Nothing is called yet. */
export function clusterSources(clusters: readonly ClusterData[], options: ClusterOptions): DataClusterSource[] {
  return clusters.map((cluster) => {
    const skip = reasonToSkip(cluster, options);
    return {
      name: cluster.name,
      endpoint: endpointOf(cluster, options),
      open: (signal) => openCluster(cluster, options, signal),
      ...(skip === undefined ? {} : { skip }),
    };
  });
}

function reasonToSkip({ disabledIntegrations, internal }: ClusterData, { side }: ClusterOptions): string | undefined {
  if (disabledIntegrations.includes(managerIdentity.integration))
    return `it is disabled for ${managerIdentity.integration}`;
  if (side === "internal" && internal !== true) return "it is not internal";
  if (side === "external" && internal === true) return "it is internal";
  return undefined;
}

function reachOf({ name }: ClusterData, { everyCluster, reaches }: ClusterOptions): ClusterReach | undefined {
  return reaches?.get(name) ?? everyCluster;
}

function endpointOf(cluster: ClusterData, options: ClusterOptions): string {
  const reach = reachOf(cluster, options);
  if (!reach) return cluster.serverUrl.replace(/\/+$/, "");
  return "context" in reach ? `the context ${reach.context}` : "the cluster that Tenon runs in";
}

async function openCluster(cluster: ClusterData, options: ClusterOptions, signal: AbortSignal): Promise<KubeClient> {
  const { transport: transportOptions = {}, wrap } = options;
  const { access, where } = await accessTo(cluster, options, signal);
  const transport = connect(access, transportOptions);
  const client = createClient(wrap?.(cluster.name, transport) ?? transport, transportOptions);
  try {
    // The first request, so that a rejected token is found when the cluster is opened.
    await client.discovery.resources(signal);
    return client;
  } catch (error) {
    await transport[Symbol.asyncDispose]();
    if (!(error instanceof ApiError && error.status === 401)) throw error;
    throw new InputError(`cluster ${cluster.name} rejects the token`, {
      where,
      next: "it may have expired: store a new one there",
      cause: error,
    });
  }
}

interface Way {
  readonly access: ClusterAccess;
  /** For messages: where the credentials come from. */
  readonly where: string;
}

async function accessTo(cluster: ClusterData, options: ClusterOptions, signal: AbortSignal): Promise<Way> {
  const reach = reachOf(cluster, options);
  const { env = process.env, kubeconfig, transport: { clock = systemClock } = {} } = options;
  if (reach && "context" in reach) {
    const access = await loadAccess({ kubeconfig, context: reach.context, env, clock });
    return { access, where: `${access.source}, context ${reach.context}` };
  }
  if (reach) {
    return { access: await inClusterAccess({ env, folder: serviceAccountFolder, clock }), where: serviceAccountFolder };
  }
  return await dataAccess(cluster, { ...options, env, clock }, signal);
}

/** As the data describes the cluster. */
async function dataAccess(
  cluster: ClusterData,
  { tokens, env }: ClusterOptions & { readonly env: NodeJS.ProcessEnv; readonly clock: Clock },
  signal: AbortSignal,
): Promise<Way> {
  const { token, certificateAuthority, where } = await readClusterToken(cluster, tokens, signal);
  const server = serverOf(cluster);
  const proxy = environmentProxy(server, env);
  const access: ClusterAccess = {
    context: cluster.name,
    source: "the data",
    server,
    namespace: "default",
    ...(cluster.insecureSkipTlsVerify ? { skipsTlsVerification: true } : {}),
    ...(certificateAuthority === undefined || cluster.insecureSkipTlsVerify ? {} : { certificateAuthority }),
    ...(proxy === undefined ? {} : { proxy: new Secret(proxy.href) }),
    credentials: storedCredentials(token, async (until) => (await readClusterToken(cluster, tokens, until)).token),
  };
  return { access, where };
}

function serverOf({ name, serverUrl }: ClusterData): URL {
  const server = URL.canParse(serverUrl) ? new URL(serverUrl) : undefined;
  if (server?.protocol === "https:") return server;
  throw new InputError(`cluster ${name}: the serverUrl ${serverUrl} is not an https URL`, {
    next: "write it like https://api.example.com:6443; a token is not sent in the clear",
  });
}

/** A token that is replaced in its store while we run is read again when the old one is rejected. */
function storedCredentials(first: Secret, read: (signal: AbortSignal) => Promise<Secret>): Credentials {
  let token = first;
  return {
    current: async () => ({ token }),
    async renew(rejected, signal = new AbortController().signal) {
      const fresh = await read(signal);
      token = fresh;
      return !rejected.token?.equals(fresh);
    },
  };
}
