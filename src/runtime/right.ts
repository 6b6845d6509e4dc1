/**
 * Something that a job does at the API server with Tenon's own rights, as RBAC writes it.
 * The chart's roles are made from these, and `tenon doctor --rbac` compares them with what a cluster grants.
 */
export interface Right {
  /** In every namespace and in none, in Tenon's own namespace, or in each namespace that the job is told to work in. */
  readonly where: "cluster" | "own namespace" | "target namespaces";
  /** Empty for the core group. */
  readonly apiGroup: string;
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Without, whatever their name; `ownServiceAccount` stands for the name of Tenon's service account. */
  readonly names?: readonly string[];
  /** What for, as a part of a sentence. */
  readonly why: string;
}

/** To elect one of several replicas by this Lease. */
export function leaseRights(name: string): Right[] {
  const lease = { where: "own namespace", apiGroup: "coordination.k8s.io", resources: ["leases"] } as const;
  return [
    { ...lease, verbs: ["get", "update"], names: [name], why: "be the one of several replicas that works" },
    { ...lease, verbs: ["create"], why: "make the Lease of that" },
  ];
}

/** In `names` of a right: who it is depends on the installation. */
export const ownServiceAccount = "{own service account}";
