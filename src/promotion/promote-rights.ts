import { leaseRights, type Right } from "#runtime";
import { tenonGroup } from "./kinds/propagation.ts";

/** The Lease of the job `promote`. */
export const promoteLease = "tenon-promote";

/** The rights of the job `promote` itself. Secrets and health are read as the service account that a Propagation names. */
export const promoteRights: readonly Right[] = [
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
    apiGroup: "",
    resources: ["serviceaccounts"],
    verbs: ["impersonate"],
    why: "read Secrets and health as the service account that a Propagation names",
  },
  ...leaseRights(promoteLease),
];
