import {
  type ClusterOptions,
  type ClusterReach,
  configMapMemory,
  type NamespaceMemory,
  parseClusterContexts,
  stateFile,
} from "#integrations";
import type { LookOptions } from "#integrations";
import type { Home } from "../control/home-cluster.ts";
import type { TenonConfig } from "../control/tenon-config.ts";
import type { Shell } from "../shell.ts";
import { someOf } from "./data-settings.ts";
import type { LimitChoice, ReachChoice } from "./manage-options.ts";
import { openTokenStore } from "./token-store.ts";

/** How the clusters of the data are reached. What an option says of clusters replaces all that `tenon.yaml` does. */
export async function reachOf(
  choice: ReachChoice,
  config: TenonConfig,
  shell: Shell,
  home: () => Promise<Home>,
): Promise<ClusterOptions> {
  const contexts = parseClusterContexts(choice.clusterContext);
  const isSaid = choice.context !== undefined || contexts.size > 0;
  const context = isSaid ? choice.context : config.context;
  const configured = new Map<string, ClusterReach>(Object.entries(config.clusters ?? {}));
  const store = choice.tokenStore ?? config.tokenStore;
  return {
    everyCluster: context === undefined ? undefined : { context },
    reaches: isSaid ? contexts : configured,
    kubeconfig: choice.kubeconfig ?? config.kubeconfig,
    tokens: store === undefined ? undefined : await openTokenStore(store, shell.env, home),
    side: choice.internal ? "internal" : choice.external ? "external" : config.side,
    env: shell.env,
  };
}

/** Where managed namespaces are remembered: in a file, or in Tenon's own namespace if one is named. */
export async function memoryOf(
  choice: ReachChoice,
  config: TenonConfig,
  shell: Shell,
  home: () => Promise<Home>,
): Promise<NamespaceMemory | undefined> {
  const file = choice.stateFile ?? (choice.namespace === undefined ? config.stateFile : undefined);
  if (file !== undefined) return stateFile(file);
  if (choice.namespace === undefined && config.namespace === undefined && !shell.env["POD_NAMESPACE"]) return undefined;
  const { client, namespace } = await home();
  return configMapMemory(client, { namespace });
}

/** What may be changed. */
export function limitsOf(
  choice: LimitChoice,
  config: TenonConfig,
): Pick<LookOptions, "takeOverFrom" | "managedKinds" | "deletions" | "deletionsConfirmed"> {
  const count = choice.maxDeletions ?? config.maxDeletions;
  return {
    takeOverFrom: someOf(choice.takeOverFrom) ?? config.takeOverFrom,
    managedKinds: someOf(choice.managedKinds) ?? someOf(config.managedKinds),
    ...(count === undefined ? {} : { deletions: { count } }),
    deletionsConfirmed: choice.confirmDeletions,
  };
}
