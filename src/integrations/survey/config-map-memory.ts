import type { KubeClient } from "#kube";
import { memoryName } from "../manager-defaults.ts";
import { configMapText } from "../state/text-store.ts";
import { memoryIn, type NamespaceMemory } from "./remembered-namespaces.ts";

export interface ConfigMapName {
  readonly namespace: string;
  /** Default `tenon-managed-namespaces`. */
  readonly name?: string | undefined;
}

/** Memory in a ConfigMap of the manager's own namespace. */
export function configMapMemory(
  client: Pick<KubeClient, "find" | "create" | "replace">,
  { namespace, name = memoryName }: ConfigMapName,
): NamespaceMemory {
  return memoryIn(configMapText(client, { namespace, name, key: "namespaces" }));
}
