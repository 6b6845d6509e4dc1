import type { Logger } from "#base";
import { installKinds, isOwnDefinition, type Kind } from "#crd";
import { defaultFieldManager, type KubeClient, type KubeObject } from "#kube";
import { EphemeralClaim } from "../kinds/ephemeral-claim.ts";
import { environmentRole, environmentViewerRole, EphemeralClass } from "../kinds/ephemeral-class.ts";
import { SpaceBinding } from "../kinds/space-binding.ts";
import { SpaceRequest } from "../kinds/space-request.ts";
import { environmentPolicies } from "../policies/environment-policies.ts";
import { installPolicies } from "../policies/install-policies.ts";
import { spaceBindingPolicy } from "../policies/space-binding-policy.ts";
import { taskRunClaimPolicy } from "../policies/task-run-claim-policy.ts";

/** The kinds of ephemeral environments. */
export const environmentKinds: readonly Kind[] = [EphemeralClass, EphemeralClaim];
/** Kinds that the operators of their group have too. */
export const spaceKinds: readonly Kind[] = [SpaceRequest, SpaceBinding];

const all = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];
const read = ["get", "list", "watch"];

const environmentRules = [
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
];

/**
 * What the account of an environment may do in its namespace: nearly what Kubernetes' own `admin` may, but for what bounds the
 * environment. One who could write NetworkPolicies could let its pods reach the tenant, because policies only ever add; one who
 * could write endpoints could do the same by the API server's proxy.
 */
export const environmentClusterRole: KubeObject = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: environmentRole },
  rules: environmentRules,
};

/** What a person may do who only looks into an environment: read what its account may, but for Secrets. */
export const environmentViewerClusterRole: KubeObject = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: environmentViewerRole },
  rules: environmentRules.flatMap(({ apiGroups, resources, verbs }) => {
    const readable = resources.filter((resource) => resource !== "secrets");
    return verbs.includes("list") ? [{ apiGroups, resources: readable, verbs: read }] : [];
  }),
};

/**
 * Installs the kinds of environments, those of spaces where no one else has, the roles of those who use them, and the policies
 * that bound them and by which TaskRuns get resource claims. An API server without such policies is reported.
 */
export async function installEnvironments(client: KubeClient, log: Logger, signal: AbortSignal): Promise<void> {
  const { own, foreign } = await sortKinds(client, spaceKinds, signal);
  for (const { crdName } of foreign)
    log.info("kind is installed by its own operator and stays as it is", { kind: crdName });
  for (const { crdName, change } of await installKinds(client, [...environmentKinds, ...own], { signal })) {
    if (change !== "unchanged") log.info("kind installed", { kind: crdName, change });
  }
  for (const role of [environmentClusterRole, environmentViewerClusterRole]) {
    await client.apply(role, { fieldManager: defaultFieldManager, force: true }, signal);
  }
  await installPolicies(client, environmentPolicies, log, signal);
  if (foreign.length === 0) await installPolicies(client, spaceBindingPolicy, log, signal);
  const served = await client.discovery.resources(signal);
  if (served.some(({ kind }) => kind === "MutatingAdmissionPolicy")) {
    await installPolicies(client, taskRunClaimPolicy, log, signal);
  } else {
    log.warn("TaskRuns get no resource claims, because the API server has no MutatingAdmissionPolicy", {
      next: "update Kubernetes to 1.36, or use the Secret of an EphemeralClaim as a workspace",
    });
  }
}

/** Definitions that Tenon or its chart made have a mark; others are those of the operators. */
async function sortKinds(client: KubeClient, kinds: readonly Kind[], signal: AbortSignal) {
  const found = await Promise.all(
    kinds.map(async (kind) => ({
      kind,
      definition: await client.find({ ...definitionKind, name: kind.crdName }, signal),
    })),
  );
  const foreign = found.filter(({ definition }) => definition && !isOwnDefinition(definition)).map(({ kind }) => kind);
  // They belong together: a SpaceBinding of ours would be about a SpaceRequest of theirs.
  return { foreign, own: foreign.length > 0 ? [] : kinds };
}

const definitionKind = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadataOnly: true };
