import { compareStrings } from "#golang";

/** The order in which Helm installs kinds; those it does not know come last, by name. */
const installOrder = [
  "PriorityClass",
  "Namespace",
  "NetworkPolicy",
  "ResourceQuota",
  "LimitRange",
  "PodSecurityPolicy",
  "PodDisruptionBudget",
  "ServiceAccount",
  "Secret",
  "SecretList",
  "ConfigMap",
  "StorageClass",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "CustomResourceDefinition",
  "ClusterRole",
  "ClusterRoleList",
  "ClusterRoleBinding",
  "ClusterRoleBindingList",
  "Role",
  "RoleList",
  "RoleBinding",
  "RoleBindingList",
  "Service",
  "DaemonSet",
  "Pod",
  "ReplicationController",
  "ReplicaSet",
  "Deployment",
  "HorizontalPodAutoscaler",
  "StatefulSet",
  "Job",
  "CronJob",
  "IngressClass",
  "Ingress",
  "APIService",
];

const places = new Map(installOrder.map((kind, index) => [kind, index]));

/** Compares two kinds by Helm's install order. */
export function compareKinds(left: string, right: string): number {
  const [a, b] = [places.get(left), places.get(right)];
  if (a !== undefined && b !== undefined) return a - b;
  if (a === undefined && b === undefined) return compareStrings(left, right);
  return a === undefined ? 1 : -1;
}
