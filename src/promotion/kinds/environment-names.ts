/** Names on environments, and on what belongs to them. */

export const environmentLabels = {
  /** On an environment's Namespace and on its kubeconfig's Secret: the uid of the claim. */
  claimUid: "tenon.dev/claim-uid",
  /** On an environment's Namespace: the cluster that the claim is in, because several may share one for environments. */
  installation: "tenon.dev/installation",
  /** On a Secret of a tenant, `true`: its owner wants it in the environments of the namespace. */
  copied: "tenon.dev/copy-to-environments",
} as const;

export const environmentAnnotations = {
  /** On an environment's Namespace: the claim, as `namespace/name`. */
  claim: "tenon.dev/claim",
  /** On a claim that is being deleted, `true`: do not wait until its environment is gone. */
  abandon: "tenon.dev/abandon-environment",
} as const;

/** On a claim whose environment may exist, and on a class that has such claims. */
export const environmentFinalizer = "tenon.dev/environment";

/** Both the service account and the RoleBinding of an environment, in its namespace. */
export const environmentAccount = "tenon-environment";

/** The RoleBindings of an environment for people, by the role that their SpaceBindings name. */
export const spaceRoleBindings = { admin: "tenon-space-admin", viewer: "tenon-space-viewer" } as const;
