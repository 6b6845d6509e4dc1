import { connect, createClient, type KubeClient, loadAccess, type Transport } from "#kube";
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
  /** A client with connections of its own: renewing a Lease must not stand in line behind the work it is for. */
  readonly clientForLeases: () => KubeClient;
}

/**
 * Opens it: the cluster that kubectl would use, or the one of the pod; the namespace
 * of `--namespace`, of POD_NAMESPACE, or the context's.
 */
export async function openHome(choice: HomeChoice, config: TenonConfig, { env }: Shell): Promise<Home> {
  const { context = config.context, kubeconfig = config.kubeconfig } = choice;
  const access = await loadAccess({ context, kubeconfig, env });
  const transports: Transport[] = [];
  function open(): KubeClient {
    const transport = connect(access);
    transports.push(transport);
    return createClient(transport);
  }
  return {
    client: open(),
    namespace: choice.namespace ?? (env["POD_NAMESPACE"] || config.namespace || access.namespace),
    clientForLeases: open,
    async [Symbol.asyncDispose]() {
      await Promise.all(transports.map((transport) => transport[Symbol.asyncDispose]()));
    },
  };
}
