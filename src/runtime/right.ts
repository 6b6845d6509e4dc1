/**
 * A permission that a job needs for Tenon's own service account, in the terms of RBAC.
 * The chart's roles are generated from these, and `tenon doctor --rbac` compares them with what a cluster grants.
 */
export interface Right {
  /**
   * In the whole cluster, in Tenon's own namespace, in each namespace that the job manages, or in each namespace that
   * `--namespaces` names, which is the whole cluster by default.
   */
  readonly where: "cluster" | "own namespace" | "target namespaces" | "watched namespaces";
  /** Empty for the core group. */
  readonly apiGroup: string;
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Default: any name. `ownServiceAccount`, `ownLease` and `watchedNamespaces` stand for names that an installation chooses. */
  readonly names?: readonly string[];
  /** The purpose, as a part of a sentence. */
  readonly why: string;
}

/** The rights for leader election with this Lease. */
export function leaseRights(name: string): Right[] {
  const lease = { where: "own namespace", apiGroup: "coordination.k8s.io", resources: ["leases"] } as const;
  return [
    { ...lease, verbs: ["get", "update"], names: [name], why: "be the one of several replicas that works" },
    { ...lease, verbs: ["create"], why: "make the Lease of that" },
  ];
}

/** Stands in `names` of a right for the name of the service account. */
export const ownServiceAccount = "{own service account}";
/** Stands in `names` of a right for the name of the Lease. */
export const ownLease = "{own lease}";
/** Stands in `names` of a right for the namespaces that `--namespaces` names; any by default. */
export const watchedNamespaces = "{watched namespaces}";
