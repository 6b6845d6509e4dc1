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
const ranks: ReadonlyMap<string, number> = new Map(order.map((kind, rank) => [kind, rank]));

/** Less than zero if objects of the one kind are applied before those of the other. Deletions go the other way round. */
export function compareKinds(one: string, other: string): number {
  const difference = (ranks.get(one) ?? order.length) - (ranks.get(other) ?? order.length);
  return difference === 0 ? Number(one > other) - Number(one < other) : difference;
}
