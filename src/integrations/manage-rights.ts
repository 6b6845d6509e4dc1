import { leaseRights, type Right } from "#runtime";
import { historyName, memoryName } from "./manager-defaults.ts";

/** The Lease of the job `manage`. */
export const manageLease = "tenon-manage";

const everything = ["get", "list", "watch", "create", "patch", "delete"];

/**
 * What the job `manage` does on the cluster it runs in. `target namespaces` are those that integrations run in, for the kinds of
 * Tenon's own chart; another chart may need more. Other clusters are reached by tokens of their own.
 */
export const manageRights: readonly Right[] = [
  {
    where: "target namespaces",
    apiGroup: "apps",
    resources: ["deployments", "statefulsets"],
    verbs: everything,
    why: "run integrations",
  },
  {
    where: "target namespaces",
    apiGroup: "batch",
    resources: ["cronjobs"],
    verbs: everything,
    why: "run integrations that have a schedule",
  },
  {
    where: "target namespaces",
    apiGroup: "",
    resources: ["services"],
    verbs: everything,
    why: "expose their metrics",
  },
  {
    where: "target namespaces",
    apiGroup: "",
    resources: ["persistentvolumeclaims"],
    verbs: ["list", "patch"],
    why: "let the volumes of stateful integrations grow",
  },
  {
    where: "target namespaces",
    apiGroup: "apps",
    resources: ["replicasets"],
    verbs: ["list", "patch"],
    why: "hand pods over when a Deployment has to be replaced",
  },
  {
    where: "target namespaces",
    apiGroup: "",
    resources: ["pods"],
    verbs: ["list"],
    why: "know how long a canary has been healthy, and what keeps a pod from running",
  },
  {
    where: "target namespaces",
    apiGroup: "autoscaling",
    resources: ["horizontalpodautoscalers"],
    verbs: ["list"],
    why: "leave replicas to an autoscaler",
  },
  {
    where: "target namespaces",
    apiGroup: "keda.sh",
    resources: ["scaledobjects"],
    verbs: ["list"],
    why: "leave replicas to KEDA",
  },
  {
    where: "own namespace",
    apiGroup: "",
    resources: ["configmaps"],
    verbs: ["get", "update"],
    names: [memoryName, historyName],
    why: "remember the namespaces that are managed, and what was applied",
  },
  {
    where: "own namespace",
    apiGroup: "",
    resources: ["configmaps"],
    verbs: ["create"],
    why: "create these ConfigMaps",
  },
  {
    where: "own namespace",
    apiGroup: "",
    resources: ["pods"],
    verbs: ["get"],
    why: "know its own workload, which is changed last",
  },
  {
    where: "own namespace",
    apiGroup: "apps",
    resources: ["deployments", "replicasets"],
    verbs: ["get"],
    why: "know its own workload, which is changed last",
  },
  ...leaseRights(manageLease),
];
