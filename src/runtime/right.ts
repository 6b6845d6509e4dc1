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

/** In `names` of a right: who it is depends on the installation. */
export const ownServiceAccount = "{own service account}";
