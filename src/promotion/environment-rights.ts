import type { Right } from "#runtime";
import { environmentAccount } from "./kinds/environment-names.ts";
import { environmentRole } from "./kinds/ephemeral-class.ts";
import { tenonGroup } from "./kinds/propagation.ts";

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
    apiGroup: "",
    resources: ["namespaces"],
    verbs: ["get", "list", "watch", "create", "delete"],
    why: "make environments, and remove those that it made",
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
    names: [environmentAccount],
    why: "take them away before the environment is removed",
  },
  {
    ...cluster,
    apiGroup: "rbac.authorization.k8s.io",
    resources: ["clusterroles"],
    verbs: ["bind"],
    names: [environmentRole],
    why: "bind no other ClusterRole",
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
