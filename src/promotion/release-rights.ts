import type { Right } from "#runtime";
import { upstreamGroup } from "./kinds/promotion-names.ts";
import { releaseServiceConfigName } from "./kinds/release-service-config.ts";
import { authorPolicies } from "./policies/release-policies.ts";
import { releaseResourceRole } from "./releases/managed-binding.ts";
import { retagRights } from "./retag/retag-rights.ts";

const cluster = { where: "cluster" } as const;

/** The rights of the controllers that release Snapshots. */
export const releaseRights: readonly Right[] = [
  {
    ...cluster,
    apiGroup: upstreamGroup,
    resources: ["snapshots", "releases", "releaseplans", "releaseplanadmissions"],
    verbs: ["get", "list", "watch"],
    why: "learn what is released, and how",
  },
  {
    ...cluster,
    apiGroup: upstreamGroup,
    resources: ["releases"],
    verbs: ["create", "patch", "delete"],
    why: "release Snapshots that passed, and delete Releases that have expired",
  },
  {
    ...cluster,
    apiGroup: upstreamGroup,
    resources: ["releases/status", "releaseplans/status", "releaseplanadmissions/status", "snapshots/status"],
    verbs: ["patch"],
    why: "note how far a Release is, and what is wrong with a plan",
  },
  {
    ...cluster,
    apiGroup: upstreamGroup,
    resources: ["applications", "components"],
    verbs: ["list", "watch"],
    why: "say on a plan that its Application is missing, or that its mapping names no component",
  },
  {
    ...cluster,
    apiGroup: "",
    resources: ["resourcequotas"],
    verbs: ["list", "watch"],
    why: "say on a plan that a quota is used up",
  },
  {
    ...cluster,
    apiGroup: "",
    resources: ["serviceaccounts"],
    verbs: ["list", "watch"],
    why: "say on a plan that its service account is missing; only their metadata is asked for",
  },
  {
    ...cluster,
    apiGroup: upstreamGroup,
    resources: ["enterprisecontractpolicies"],
    verbs: ["get"],
    why: "give the policy of an admission to its pipeline",
  },
  {
    ...cluster,
    apiGroup: "",
    resources: ["configmaps"],
    verbs: ["get"],
    names: ["ec-defaults"],
    why: "tell a managed pipeline where its policy is checked",
  },
  {
    where: "own namespace",
    apiGroup: upstreamGroup,
    resources: ["releaseserviceconfigs"],
    verbs: ["get", "list", "watch"],
    names: [releaseServiceConfigName],
    why: "read the settings of all releases",
  },
  {
    ...cluster,
    apiGroup: "admissionregistration.k8s.io",
    resources: ["validatingadmissionpolicies", "validatingadmissionpolicybindings"],
    verbs: ["get"],
    names: Object.values(authorPolicies),
    why: "trust authors only where policies hold them",
  },
  {
    ...cluster,
    apiGroup: "apiextensions.k8s.io",
    resources: ["customresourcedefinitions"],
    verbs: ["list", "watch"],
    why: "notice when Tekton or the kinds of releases are installed",
  },
  {
    ...cluster,
    apiGroup: "tekton.dev",
    resources: ["pipelineruns"],
    verbs: ["get", "list", "watch", "create", "patch", "delete"],
    why: "run the pipelines of releases",
  },
  {
    ...cluster,
    apiGroup: "tekton.dev",
    resources: ["taskruns"],
    verbs: ["list"],
    why: "learn which task failed",
  },
  { ...cluster, apiGroup: "", resources: ["pods/log"], verbs: ["get"], why: "say on a Release why its task failed" },
  {
    ...cluster,
    apiGroup: "rbac.authorization.k8s.io",
    resources: ["rolebindings"],
    verbs: ["create", "delete"],
    why: "let a managed pipeline read what it releases, while it runs",
  },
  {
    ...cluster,
    apiGroup: "rbac.authorization.k8s.io",
    resources: ["clusterroles"],
    verbs: ["bind"],
    names: [releaseResourceRole],
    why: "bind no other ClusterRole",
  },
  ...retagRights,
];
