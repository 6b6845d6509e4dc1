import { connect, createClient, type KubeClient, loadAccess, type Transport, type TransportOptions } from "#kube";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import type { TenonConfig } from "./tenon-config.ts";

export interface HomeChoice extends ClusterChoice {
  readonly namespace?: string | undefined;
}

/** The cluster and namespace of Tenon's own objects: Leases and state. */
export interface HomeCluster extends AsyncDisposable {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly server: URL;
  /** Tenon runs in a pod of the cluster. */
  readonly isInCluster: boolean;
  /** A client with its own connections, so that the renewal of a Lease never queues behind other requests. */
  readonly openClient: (options?: TransportOptions) => KubeClient;
}

/**
 * Connects to the cluster that kubectl would use, or to the pod's own; the namespace is that of `--namespace`, POD_NAMESPACE, or
 * the context.
 */
export async function openHomeCluster(choice: HomeChoice, config: TenonConfig, { env }: Shell): Promise<HomeCluster> {
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
