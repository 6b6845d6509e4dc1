import type { Right } from "#runtime";
import { upstreamGroup } from "./kinds/promotion-names.ts";
import { runnerAccount } from "./runners/test-runner.ts";

const cluster = { where: "cluster" } as const;

/** The rights of the controllers that test Snapshots. */
export const testingRights: readonly Right[] = [
  {
    ...cluster,
    apiGroup: upstreamGroup,
    resources: ["snapshots", "integrationtestscenarios", "applications", "componentgroups", "releaseplans"],
    verbs: ["get", "list", "watch"],
    why: "learn what is to be tested, and by which scenarios",
  },
  {
    ...cluster,
    apiGroup: upstreamGroup,
    resources: ["snapshots", "snapshots/status"],
    verbs: ["patch"],
    why: "note the results of tests",
  },
  {
    ...cluster,
    apiGroup: upstreamGroup,
    resources: ["integrationtestscenarios"],
    verbs: ["patch"],
    why: "make a scenario part of its Application, with which it is deleted",
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
    verbs: ["get", "list", "watch", "create", "patch"],
    why: "run tests as pipelines",
  },
  {
    ...cluster,
    apiGroup: "tekton.dev",
    resources: ["taskruns"],
    verbs: ["list"],
    why: "read the results of pipelines",
  },
  {
    ...cluster,
    apiGroup: "resolution.tekton.dev",
    resources: ["resolutionrequests"],
    verbs: ["get", "create", "delete"],
    why: "resolve scenarios that name a whole PipelineRun",
  },
  {
    ...cluster,
    apiGroup: "batch",
    resources: ["jobs"],
    verbs: ["get", "list", "watch", "create", "patch"],
    why: "run tests as Jobs",
  },
  { ...cluster, apiGroup: "", resources: ["pods"], verbs: ["list"], why: "read the results of Jobs" },
  { ...cluster, apiGroup: "", resources: ["configmaps"], verbs: ["get"], why: "read the templates of Jobs" },
  {
    ...cluster,
    apiGroup: "",
    resources: ["serviceaccounts", "secrets"],
    verbs: ["get", "create"],
    why: "give a namespace with scenarios the service account of its test runs, with an empty Secret for images",
  },
  {
    ...cluster,
    apiGroup: "rbac.authorization.k8s.io",
    resources: ["rolebindings"],
    verbs: ["get", "create"],
    why: "bind that account to its ClusterRole",
  },
  {
    ...cluster,
    apiGroup: "rbac.authorization.k8s.io",
    resources: ["clusterroles"],
    verbs: ["bind"],
    names: [runnerAccount],
    why: "bind no other ClusterRole",
  },
];
