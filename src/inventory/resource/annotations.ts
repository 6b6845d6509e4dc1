/** What an owner writes on the objects it manages. The keys are those of qontract-reconcile, so that its objects are taken over as they are. */
export const annotation = {
  integration: "qontract.integration",
  integrationVersion: "qontract.integration_version",
  sha256: "qontract.sha256sum",
  update: "qontract.update",
  caller: "qontract.caller_name",
  /** Pods that use the object are restarted when it changes. */
  recycle: "qontract.recycle",
  /** Left out of the metric of how long a change takes to arrive. */
  ignoreReconcileTime: "qontract.ignore_reconcile_time",
  /** Which of the things that one owner manages the object belongs to; ours, and no part of the hash. */
  attribution: "tenon.dev/integration",
  /** Since when pods that use the object are to be restarted; gone when they are. Ours, and no part of the hash. */
  restart: "tenon.dev/restart",
  lastApplied: "kubectl.kubernetes.io/last-applied-configuration",
} as const;

/** Written by owners and therefore no part of what they own. */
export const stamps: ReadonlySet<string> = new Set([
  annotation.integration,
  annotation.integrationVersion,
  annotation.sha256,
  annotation.update,
  annotation.caller,
  annotation.attribution,
  annotation.restart,
  "external-resources/secret-updated-at",
]);

/** Pod-template annotations by which people restart workloads. */
export const restarts: readonly string[] = ["kubectl.kubernetes.io/restartedAt", "openshift.openshift.io/restartedAt"];
