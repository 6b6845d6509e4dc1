import type { Logger } from "#base";
import { installKinds, type Kind } from "#crd";
import { defaultFieldManager, type KubeClient, type KubeObject } from "#kube";
import { EphemeralClaim } from "../kinds/ephemeral-claim.ts";
import { environmentRole, EphemeralClass } from "../kinds/ephemeral-class.ts";

/** The kinds of ephemeral environments. */
export const environmentKinds: readonly Kind[] = [EphemeralClass, EphemeralClaim];

const all = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];
const read = ["get", "list", "watch"];

/**
 * What the account of an environment may do in its namespace: nearly what Kubernetes' own `admin` may, but for what bounds the
 * environment. One who could write NetworkPolicies could let its pods reach the tenant, because policies only ever add; one who
 * could write endpoints could do the same by the API server's proxy.
 */
export const environmentClusterRole: KubeObject = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: environmentRole },
  rules: [
    {
      apiGroups: [""],
      resources: ["configmaps", "secrets", "services", "pods", "persistentvolumeclaims", "replicationcontrollers"],
      verbs: all,
    },
    {
      apiGroups: [""],
      resources: ["pods/exec", "pods/attach", "pods/portforward", "pods/proxy", "services/proxy"],
      verbs: ["get", "create"],
    },
    { apiGroups: [""], resources: ["pods/eviction"], verbs: ["create"] },
    { apiGroups: [""], resources: ["serviceaccounts"], verbs: all },
    {
      apiGroups: [""],
      resources: [
        "pods/log",
        "pods/status",
        "events",
        "endpoints",
        "limitranges",
        "resourcequotas",
        "resourcequotas/status",
      ],
      verbs: read,
    },
    {
      apiGroups: ["apps"],
      resources: [
        "deployments",
        "deployments/scale",
        "statefulsets",
        "statefulsets/scale",
        "daemonsets",
        "replicasets",
        "replicasets/scale",
        "controllerrevisions",
      ],
      verbs: all,
    },
    { apiGroups: ["batch"], resources: ["jobs", "cronjobs"], verbs: all },
    { apiGroups: ["autoscaling"], resources: ["horizontalpodautoscalers"], verbs: all },
    { apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: all },
    { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: read },
    { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: read },
    { apiGroups: ["networking.k8s.io"], resources: ["networkpolicies", "ingresses"], verbs: read },
    { apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles", "rolebindings"], verbs: all },
  ],
};

/** Installs the kinds of environments, and the role of their accounts. */
export async function installEnvironments(client: KubeClient, log: Logger, signal: AbortSignal): Promise<void> {
  for (const { crdName, change } of await installKinds(client, environmentKinds, { signal })) {
    if (change !== "unchanged") log.info("kind installed", { kind: crdName, change });
  }
  await client.apply(environmentClusterRole, { fieldManager: defaultFieldManager, force: true }, signal);
}
