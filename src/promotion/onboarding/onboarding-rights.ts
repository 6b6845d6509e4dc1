import type { Right } from "#runtime";
import { upstreamGroup } from "../kinds/promotion-names.ts";

const cluster = { where: "cluster" } as const;

/** The rights of the controller that gives Applications their default plans. */
export const onboardingRights: readonly Right[] = [
  {
    ...cluster,
    apiGroup: "",
    resources: ["namespaces"],
    verbs: ["list", "watch"],
    why: "learn which namespaces ask for a plan for each Application",
  },
  {
    ...cluster,
    apiGroup: upstreamGroup,
    resources: ["applications"],
    verbs: ["get", "list", "watch", "patch"],
    why: "note on an Application that it got its plan",
  },
  {
    ...cluster,
    apiGroup: upstreamGroup,
    resources: ["applications/status"],
    verbs: ["patch"],
    why: "say on an Application why it got none",
  },
  {
    ...cluster,
    apiGroup: upstreamGroup,
    resources: ["releaseplans"],
    verbs: ["get", "list", "create", "attribute"],
    why: "give an Application the plan that its namespace asks for, with the author that the namespace names",
  },
  {
    ...cluster,
    apiGroup: "apiextensions.k8s.io",
    resources: ["customresourcedefinitions"],
    verbs: ["list", "watch"],
    why: "notice when Applications can exist",
  },
];
