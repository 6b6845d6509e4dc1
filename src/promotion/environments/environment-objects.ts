import type { KubeObject } from "#kube";
import {
  environmentAccount,
  environmentAnnotations,
  environmentLabels,
  spaceRoleBindings,
} from "../kinds/environment-names.ts";
import { environmentViewerRole } from "../kinds/ephemeral-class.ts";
import type { SpaceRole } from "../kinds/space-binding.ts";
import type { ClassSettings } from "./class-settings.ts";
import {
  type EnvironmentId,
  environmentName,
  type EnvironmentRequest,
  type PullSecret,
} from "./environment-provider.ts";

const apiGroup = "rbac.authorization.k8s.io";
/** Where clusters have their DNS. */
const dnsNamespaces = ["kube-system", "openshift-dns"];

export function environmentNamespace(
  { uid, claim, settings }: Pick<EnvironmentRequest, "uid" | "claim" | "settings">,
  installation: string,
): KubeObject {
  const { podSecurity } = settings;
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name: environmentName({ uid }),
      labels: {
        [environmentLabels.claimUid]: uid,
        [environmentLabels.installation]: installation,
        "pod-security.kubernetes.io/enforce": podSecurity,
        "pod-security.kubernetes.io/warn": podSecurity,
      },
      annotations: { [environmentAnnotations.claim]: claim },
    },
  };
}

/** What bounds an environment. It is there before anyone has rights in it. */
export function environmentBounds(request: EnvironmentRequest): readonly KubeObject[] {
  const { settings, pullSecrets } = request;
  const namespace = environmentName(request);
  const { quota = {}, limits } = settings.spec;
  const imagePullSecrets = pullSecrets.map(({ name }) => ({ name }));
  const account = (name: string): KubeObject => ({
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name, namespace },
    ...(imagePullSecrets.length > 0 ? { imagePullSecrets } : {}),
  });
  return [
    networkPolicy(request, namespace),
    {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: environmentAccount, namespace },
      spec: { hard: { "services.loadbalancers": 0, "services.nodeports": 0, ...quota } },
    },
    ...(limits
      ? [
          {
            apiVersion: "v1",
            kind: "LimitRange",
            metadata: { name: environmentAccount, namespace },
            spec: { limits: [{ type: "Container", ...limits }] },
          },
        ]
      : []),
    ...pullSecrets.map((secret) => copySecret(secret, namespace)),
    ...(imagePullSecrets.length > 0 ? [account("default")] : []),
    account(environmentAccount),
  ];
}

/** The rights of the environment's account, in its namespace only. */
export function environmentBinding({ settings, ...request }: EnvironmentRequest): KubeObject {
  const namespace = environmentName(request);
  return {
    apiVersion: `${apiGroup}/v1`,
    kind: "RoleBinding",
    metadata: { name: environmentAccount, namespace },
    roleRef: { apiGroup, kind: "ClusterRole", name: settings.clusterRole },
    subjects: [{ kind: "ServiceAccount", name: environmentAccount, namespace }],
  };
}

/** The rights of people in the environment. */
export function spaceRoleBinding(
  role: SpaceRole,
  users: readonly string[],
  id: EnvironmentId,
  { clusterRole }: ClassSettings,
): KubeObject {
  return {
    apiVersion: `${apiGroup}/v1`,
    kind: "RoleBinding",
    metadata: { name: spaceRoleBindings[role], namespace: environmentName(id) },
    roleRef: { apiGroup, kind: "ClusterRole", name: role === "admin" ? clusterRole : environmentViewerRole },
    subjects: users.map((name) => ({ apiGroup, kind: "User", name })),
  };
}

/**
 * Pods of the environment reach each other and DNS; the tenant's pods reach them, because they test what runs there.
 * Everything else is refused, so that environments are apart from each other, from the tenant, from nodes and from Tenon.
 */
function networkPolicy({ tenant, settings }: EnvironmentRequest, namespace: string): KubeObject {
  const { egress = [] } = settings.spec;
  const here = { podSelector: {} };
  const dnsPorts = [53, 5353].flatMap((port) => ["UDP", "TCP"].map((protocol) => ({ protocol, port })));
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: environmentAccount, namespace },
    spec: {
      podSelector: {},
      policyTypes: ["Ingress", "Egress"],
      ingress: [{ from: [here, inNamespaces([tenant])] }],
      egress: [
        { to: [here] },
        { to: [inNamespaces(dnsNamespaces)], ports: dnsPorts },
        ...(egress.length > 0 ? [{ to: egress.map((cidr) => ({ ipBlock: { cidr } })) }] : []),
      ],
    },
  };
}

function inNamespaces(values: readonly string[]) {
  return {
    namespaceSelector: { matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values }] },
  };
}

function copySecret({ name, type, data }: PullSecret, namespace: string): KubeObject {
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, type, data };
}
