import { connect, createClient, type KubeClient, loadAccess, type Transport, type TransportOptions } from "#kube";
import type { ClusterChoice } from "../cluster-options.ts";
import type { Shell } from "../shell.ts";
import type { TenonConfig } from "./tenon-config.ts";

export interface HomeChoice extends ClusterChoice {
  readonly namespace?: string | undefined;
}

/** The cluster and the namespace that Tenon keeps its own things in: Leases, and what it has to remember. */
export interface Home extends AsyncDisposable {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly server: URL;
  /** Tenon runs in a pod of the cluster. */
  readonly isInCluster: boolean;
  /** A client with connections of its own: renewing a Lease must not stand in line behind the work it is for. */
  readonly openClient: (options?: TransportOptions) => KubeClient;
}

/**
 * Opens it: the cluster that kubectl would use, or the one of the pod; the namespace
 * of `--namespace`, of POD_NAMESPACE, or the context's.
 */
export async function openHome(choice: HomeChoice, config: TenonConfig, { env }: Shell): Promise<Home> {
  const { context = config.context, kubeconfig = config.kubeconfig } = choice;
  const access = await loadAccess({ context, kubeconfig, env });
  const transports: Transport[] = [];
  function open(options: TransportOptions = {}): KubeClient {
    const transport = connect(access, options);
    transports.push(transport);
    return createClient(transport);
  }
  return {
    client: open(),
    namespace: choice.namespace ?? (env["POD_NAMESPACE"] || config.namespace || access.namespace),
    server: access.server,
    isInCluster: access.context === "in-cluster",
    openClient: open,
    async [Symbol.asyncDispose]() {
      await Promise.all(transports.map((transport) => transport[Symbol.asyncDispose]()));
    },
  };
}
