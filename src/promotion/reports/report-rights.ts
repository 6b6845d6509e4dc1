import type { Right } from "#runtime";
import { upstreamGroup } from "../kinds/promotion-names.ts";

/** The rights that reports to forges need beside those of testing. */
export const reportRights: readonly Right[] = [
  {
    where: "cluster",
    apiGroup: upstreamGroup,
    resources: ["components"],
    verbs: ["list", "watch"],
    why: "learn the repository of a component, to which its results are reported",
  },
  {
    where: "cluster",
    apiGroup: "pipelinesascode.tekton.dev",
    resources: ["repositories"],
    verbs: ["list"],
    why: "learn that a repository wants no comments",
  },
  {
    where: "cluster",
    apiGroup: "",
    resources: ["secrets"],
    verbs: ["list"],
    why: "find the Secret of a namespace that is labelled for a forge",
  },
];
