import { connect, createClient, type KubeClient, loadAccess, type Transport, type TransportOptions } from "#kube";
import { nameCluster } from "../cluster/name-cluster.ts";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import type { TenonConfig } from "./tenon-config.ts";

export interface HomeChoice extends ClusterChoice {
  readonly tenonNamespace?: string | undefined;
}

/** The cluster and namespace of Tenon's own objects: Leases and state. */
export interface HomeCluster extends AsyncDisposable {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly server: URL;
  /** PEM; absent if the server's certificate is one that Node trusts. */
  readonly certificateAuthority?: string;
  /** Tenon runs in a pod of the cluster. */
  readonly isInCluster: boolean;
  /** A client with its own connections, so that the renewal of a Lease never queues behind other requests. */
  readonly openClient: (options?: TransportOptions) => KubeClient;
}

/** Connects to the cluster that the user names, the one that kubectl would use, or the pod's own; see `nameCluster`. */
export async function openHomeCluster(choice: HomeChoice, config: TenonConfig, shell: Shell): Promise<HomeCluster> {
  const { env } = shell;
  const access = await loadAccess({ ...(await nameCluster(choice, config, shell)), env });
  const transports: Transport[] = [];
  function open(options: TransportOptions = {}): KubeClient {
    const transport = connect(access, options);
    transports.push(transport);
    return createClient(transport);
  }
  return {
    client: open(),
    namespace: ownNamespace(choice, config, env) ?? access.namespace,
    server: access.server,
    ...(access.certificateAuthority === undefined ? {} : { certificateAuthority: access.certificateAuthority }),
    isInCluster: access.context === "in-cluster",
    openClient: open,
    async [Symbol.asyncDispose]() {
      await Promise.all(transports.map((transport) => transport[Symbol.asyncDispose]()));
    },
  };
}

/** The API server as environments get it if their class does not say: pods of the cluster know it by its Service. */
export function serverOfPods({ isInCluster, server }: Pick<HomeCluster, "isInCluster" | "server">): string {
  return isInCluster ? "https://kubernetes.default.svc" : server.href.replace(/\/$/, "");
}

/** The namespace of Tenon's own objects, if an option, a variable or `tenon.yaml` names it; else it is the context's. */
export function ownNamespace(
  { tenonNamespace }: HomeChoice,
  config: Pick<TenonConfig, "tenonNamespace">,
  env: NodeJS.ProcessEnv,
): string | undefined {
  return tenonNamespace ?? (env["TENON_NAMESPACE"] || env["POD_NAMESPACE"] || config.tenonNamespace);
}
