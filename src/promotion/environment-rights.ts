import type { Right } from "#runtime";
import { environmentAccount, spaceRoleBindings } from "./kinds/environment-names.ts";
import { environmentRole, environmentViewerRole } from "./kinds/ephemeral-class.ts";
import { tenonGroup } from "./kinds/propagation.ts";
import { toolchainGroup } from "./kinds/space-request.ts";
import { spaceBindingPolicyName } from "./policies/space-binding-policy.ts";

const cluster = { where: "cluster" } as const;

/** The rights of the controllers of ephemeral environments. */
export const environmentRights: readonly Right[] = [
  {
    ...cluster,
    apiGroup: tenonGroup,
    resources: ["ephemeralclaims", "ephemeralclasses"],
    verbs: ["get", "list", "watch", "patch"],
    why: "learn which environments are asked for, and keep a claim until its environment is gone",
  },
  {
    ...cluster,
    apiGroup: tenonGroup,
    resources: ["ephemeralclaims"],
    verbs: ["delete"],
    why: "name the run of a claim as its owner, which some clusters allow only with this right",
  },
  {
    ...cluster,
    apiGroup: tenonGroup,
    resources: ["ephemeralclaims/status"],
    verbs: ["patch"],
    why: "say how far a claim is",
  },
  {
    ...cluster,
    apiGroup: tenonGroup,
    resources: ["ephemeralclaims"],
    verbs: ["create"],
    why: "make the claims of SpaceRequests",
  },
  {
    ...cluster,
    apiGroup: toolchainGroup,
    resources: ["spacerequests", "spacebindings"],
    verbs: ["get", "list", "watch"],
    why: "learn which spaces are asked for, and who may use them",
  },
  {
    ...cluster,
    apiGroup: toolchainGroup,
    resources: ["spacerequests/status", "spacebindings/status"],
    verbs: ["patch"],
    why: "say how far a space is",
  },
  {
    ...cluster,
    apiGroup: toolchainGroup,
    resources: ["spacerequests/finalizers"],
    verbs: ["update"],
    why: "keep a SpaceRequest until its claim is gone, for those who wait for that; some clusters ask for this right",
  },
  {
    ...cluster,
    apiGroup: "admissionregistration.k8s.io",
    resources: ["validatingadmissionpolicies", "validatingadmissionpolicybindings"],
    verbs: ["get"],
    names: [spaceBindingPolicyName],
    why: "give people roles in spaces only where a policy checks who asked for it",
  },
  {
    ...cluster,
    apiGroup: "",
    resources: ["namespaces"],
    verbs: ["get", "list", "watch", "create", "delete"],
    why: "make environments, and remove those that it made",
  },
  {
    ...cluster,
    apiGroup: "",
    resources: ["pods"],
    verbs: ["list", "delete"],
    why: "end the pods of an environment in time, which may ask for a long grace; only metadata is requested",
  },
  {
    ...cluster,
    apiGroup: "",
    resources: ["serviceaccounts", "resourcequotas", "limitranges"],
    verbs: ["create", "patch"],
    why: "give an environment its account and its bounds",
  },
  {
    ...cluster,
    apiGroup: "networking.k8s.io",
    resources: ["networkpolicies"],
    verbs: ["create", "patch"],
    why: "keep environments apart from everything else",
  },
  {
    ...cluster,
    apiGroup: "",
    resources: ["serviceaccounts"],
    verbs: ["delete"],
    names: [environmentAccount],
    why: "make the token of an environment useless before it is removed",
  },
  {
    ...cluster,
    apiGroup: "",
    resources: ["serviceaccounts/token"],
    verbs: ["create"],
    names: [environmentAccount],
    why: "make tokens for environments, and for no other account",
  },
  {
    ...cluster,
    apiGroup: "rbac.authorization.k8s.io",
    resources: ["rolebindings"],
    verbs: ["create", "patch"],
    why: "give an environment's account its rights",
  },
  {
    ...cluster,
    apiGroup: "rbac.authorization.k8s.io",
    resources: ["rolebindings"],
    verbs: ["delete"],
    names: [environmentAccount, ...Object.values(spaceRoleBindings)],
    why: "take them away before the environment is removed, and from people whose SpaceBinding is deleted",
  },
  {
    ...cluster,
    apiGroup: "rbac.authorization.k8s.io",
    resources: ["rolebindings"],
    verbs: ["get"],
    names: Object.values(spaceRoleBindings),
    why: "see which people have a role in a space",
  },
  {
    ...cluster,
    apiGroup: "rbac.authorization.k8s.io",
    resources: ["clusterroles"],
    verbs: ["bind"],
    names: [environmentRole, environmentViewerRole],
    why: "bind no other ClusterRoles",
  },
  {
    ...cluster,
    apiGroup: "",
    resources: ["secrets"],
    verbs: ["get", "list", "watch", "create", "patch", "delete"],
    why: "give a claim its kubeconfig, and copy Secrets for images that are labelled for it",
  },
  {
    ...cluster,
    apiGroup: "tekton.dev",
    resources: ["pipelineruns", "taskruns"],
    verbs: ["get", "list", "watch"],
    why: "end an environment with its run",
  },
  {
    ...cluster,
    apiGroup: "batch",
    resources: ["jobs"],
    verbs: ["get", "list", "watch"],
    why: "end an environment with its Job",
  },
  {
    ...cluster,
    apiGroup: "apiextensions.k8s.io",
    resources: ["customresourcedefinitions"],
    verbs: ["list", "watch"],
    why: "notice when Tekton or the kinds of environments are installed",
  },
];
