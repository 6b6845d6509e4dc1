import { dirname, resolve } from "node:path";
import type { ClusterEntry, ContextEntry, Kubeconfig, UserEntry } from "./kubeconfig-file.ts";

/** A value and the file that contains it. */
export interface KubeconfigEntry<Value> {
  readonly value: Value;
  readonly file: string;
}

/** Several kubeconfigs as one. */
export interface MergedKubeconfig {
  readonly files: readonly string[];
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, KubeconfigEntry<ClusterEntry>>;
  readonly users: ReadonlyMap<string, KubeconfigEntry<UserEntry>>;
  readonly contexts: ReadonlyMap<string, KubeconfigEntry<ContextEntry>>;
}

/**
 * As kubectl merges: the first file to name an entry has all of it, and the first to set the current context wins.
 * https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/#merging-kubeconfig-files
 */
export function mergeKubeconfigs(configs: readonly KubeconfigEntry<Kubeconfig>[]): MergedKubeconfig {
  const clusters = new Map<string, KubeconfigEntry<ClusterEntry>>();
  const users = new Map<string, KubeconfigEntry<UserEntry>>();
  const contexts = new Map<string, KubeconfigEntry<ContextEntry>>();
  let currentContext: string | undefined;
  for (const { file, value } of configs) {
    currentContext ??= value["current-context"];
    for (const { name, cluster } of value.clusters) setFirst(clusters, name, { file, value: cluster });
    for (const { name, user } of value.users) setFirst(users, name, { file, value: user });
    for (const { name, context } of value.contexts) setFirst(contexts, name, { file, value: context });
  }
  return { files: configs.map(({ file }) => file), currentContext, clusters, users, contexts };
}

function setFirst<Value>(map: Map<string, Value>, name: string, value: Value): void {
  if (!map.has(name)) map.set(name, value);
}

/** Paths in a kubeconfig are relative to the file that contains them. */
export function pathFrom(file: string, path: string): string {
  return resolve(dirname(file), path);
}
