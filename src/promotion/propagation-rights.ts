import type { Right } from "#runtime";
import { upstreamGroup } from "./kinds/promotion-names.ts";
import { tenonGroup } from "./kinds/propagation.ts";

/** The rights of the controller of Propagations. Secrets and health are read as the service account that a Propagation names. */
export const propagationRights: readonly Right[] = [
  {
    where: "cluster",
    apiGroup: tenonGroup,
    resources: ["propagations"],
    verbs: ["get", "list", "watch"],
    why: "watch Propagations",
  },
  {
    where: "cluster",
    apiGroup: tenonGroup,
    resources: ["propagations/status"],
    verbs: ["patch"],
    why: "report their status, which is also the memory of their branches",
  },
  {
    where: "cluster",
    apiGroup: upstreamGroup,
    resources: ["releases"],
    verbs: ["list", "watch"],
    why: "notice at once what the plan of a Propagation has released",
  },
  {
    where: "cluster",
    apiGroup: "",
    resources: ["serviceaccounts"],
    verbs: ["impersonate"],
    why: "read Secrets and health as the service account that a Propagation names",
  },
  {
    where: "cluster",
    apiGroup: "apiextensions.k8s.io",
    resources: ["customresourcedefinitions"],
    verbs: ["list", "watch"],
    why: "notice when the kind is installed",
  },
];
