import type { Right } from "#runtime";

/** What `builtin/retag` needs. Credentials and keys are read as the service account of the plan. */
export const retagRights: readonly Right[] = [
  {
    where: "cluster",
    apiGroup: "",
    resources: ["serviceaccounts"],
    verbs: ["impersonate"],
    why: "read credentials for registries, and keys, as the service account that a release plan names",
  },
];
