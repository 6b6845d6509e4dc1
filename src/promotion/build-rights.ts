import type { Right } from "#runtime";
import { upstreamGroup } from "./kinds/promotion-names.ts";

const cluster = { where: "cluster" } as const;

/** The rights of the controllers that turn builds into Snapshots. */
export const buildRights: readonly Right[] = [
  {
    ...cluster,
    apiGroup: upstreamGroup,
    resources: ["applications", "components", "snapshots", "releases"],
    verbs: ["get", "list", "watch"],
    why: "learn what is built, and which Snapshots are in use",
  },
  {
    ...cluster,
    apiGroup: upstreamGroup,
    resources: ["snapshots"],
    verbs: ["create", "patch", "delete"],
    why: "make Snapshots of builds, and delete those that are no longer needed",
  },
  {
    ...cluster,
    apiGroup: upstreamGroup,
    resources: ["components"],
    verbs: ["patch"],
    why: "date candidates, and make a last Snapshot when a component is deleted",
  },
  {
    ...cluster,
    apiGroup: upstreamGroup,
    resources: ["snapshots/status", "components/status", "applications/status"],
    verbs: ["patch"],
    why: "note candidates, and what is wrong with a Snapshot or an Application",
  },
  {
    ...cluster,
    apiGroup: "apiextensions.k8s.io",
    resources: ["customresourcedefinitions"],
    verbs: ["list", "watch"],
    why: "notice when Tekton or releases are installed",
  },
  {
    ...cluster,
    apiGroup: "tekton.dev",
    resources: ["pipelineruns"],
    verbs: ["get", "list", "watch", "patch"],
    why: "follow builds, and say on each what became of it",
  },
  {
    ...cluster,
    apiGroup: "",
    resources: ["namespaces"],
    verbs: ["list", "watch"],
    why: "know the namespaces of tenants, and whether Tekton Chains is installed; only metadata is requested",
  },
  {
    ...cluster,
    apiGroup: "",
    resources: ["secrets"],
    verbs: ["list"],
    why: "find the Secret of a namespace that is labelled for a forge, and ask there whether a pull request is open",
  },
  {
    ...cluster,
    apiGroup: "authentication.k8s.io",
    resources: ["tokenreviews"],
    verbs: ["create"],
    why: "know who declares a build, where --builds-port is set",
  },
  {
    ...cluster,
    apiGroup: "authorization.k8s.io",
    resources: ["subjectaccessreviews"],
    verbs: ["create"],
    why: "know whether that caller may create Snapshots",
  },
];
