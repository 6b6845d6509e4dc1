import { compareText } from "#base";
import type { ActionKind, ObjectAddress } from "./plan.ts";
import type { InventoryEntry } from "../resource-inventory.ts";

/** What others need comes first; then the kinds of workloads; what is not named here comes last, by name. */
const order = [
  "Namespace",
  "CustomResourceDefinition",
  "PriorityClass",
  "StorageClass",
  "PersistentVolume",
  "ResourceQuota",
  "LimitRange",
  "NetworkPolicy",
  "ServiceAccount",
  "ClusterRole",
  "ClusterRoleBinding",
  "Role",
  "RoleBinding",
  "Secret",
  "ConfigMap",
  "PersistentVolumeClaim",
  "PodDisruptionBudget",
  "Service",
  "CronJob",
  "Deployment",
  "StatefulSet",
];
const rankOfKind: ReadonlyMap<string, number> = new Map(order.map((kind, index) => [kind, index]));

/** Less than zero if objects of the one kind are applied before those of the other. Deletions go the other way round. */
function compareKinds(one: string, other: string): number {
  const difference = (rankOfKind.get(one) ?? order.length) - (rankOfKind.get(other) ?? order.length);
  return difference === 0 ? Number(one > other) - Number(one < other) : difference;
}

const writes: Readonly<Record<ActionKind, number>> = { adopt: 0, create: 1, update: 2, delete: 3 };

/**
 * Clusters and namespaces as they were first seen; in each, what is written before what is deleted; then by kind, what others need
 * first (and deleted last), and by name.
 */
export function orderActions<T extends ObjectAddress & { readonly action: ActionKind }>(
  actions: readonly T[],
  entries: readonly InventoryEntry[],
): T[] {
  const clusters = ranks(entries.map(({ cluster }) => cluster));
  const namespaces = ranks(entries.map(({ cluster, namespace }) => `${cluster}/${namespace}`));
  return actions.toSorted((one, other) => {
    const place =
      rank(clusters, one.cluster) - rank(clusters, other.cluster) ||
      rank(namespaces, `${one.cluster}/${one.namespace}`) - rank(namespaces, `${other.cluster}/${other.namespace}`);
    if (place !== 0) return place;
    const isDeletion = one.action === "delete";
    if (isDeletion !== (other.action === "delete")) return isDeletion ? 1 : -1;
    const kinds = compareKinds(one.kind, other.kind);
    if (kinds !== 0) return isDeletion ? -kinds : kinds;
    return (
      writes[one.action] - writes[other.action] ||
      compareText(one.name, other.name) ||
      compareText(one.apiVersion, other.apiVersion)
    );
  });
}

function ranks(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...new Set(names)].map((name, index) => [name, index]));
}

function rank(of: ReadonlyMap<string, number>, name: string): number {
  return of.get(name) ?? of.size;
}
