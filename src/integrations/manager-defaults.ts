/** As what the manager owns objects: the name and version of qontract-reconcile's, so that its objects are taken over as they are. */
export const managerIdentity = { integration: "integrations-manager", integrationVersion: "0.1.0" } as const;

/** The image and the repository of integrations that do not name their own: those of qontract-reconcile. */
export const defaultImage = "quay.io/app-sre/qontract-reconcile";
export const defaultUpstream = "https://github.com/app-sre/qontract-reconcile";

/** Digits of a commit in an image tag, where the settings of the data do not say how many. */
export const defaultHashLength = 7;

/** The kinds that qontract-reconcile's manager manages, by their bare names; others are managed where the chart renders them. */
export const baseKinds: readonly string[] = ["Deployment", "StatefulSet", "CronJob", "Service"];

/** The ConfigMap that has the list of managed namespaces. */
export const memoryName = "tenon-managed-namespaces";

/** The ConfigMap that has the history of applied plans. */
export const historyName = "tenon-history";
