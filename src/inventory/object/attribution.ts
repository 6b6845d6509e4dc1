import { valueAt } from "#base";

/**
 * Whose object is this? All answers are here: the marks that owners write, who may update or delete a live object, whose objects
 * are taken over, and to which integration of a chart an object belongs.
 */

/** The keys are those of qontract-reconcile, so that Tenon takes its objects over as they are. */
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
  /** Which of the things that one owner manages the object belongs to. Ours, and not part of the hash. */
  attribution: "tenon.dev/integration",
  /** Since when pods that use the object need a restart; removed when they have had it. Ours, and not part of the hash. */
  restart: "tenon.dev/restart",
  /** JSON pointers and field managers: what of the object is left as it is. Ours, and written by people. */
  ignoreDifferences: "tenon.dev/ignore-differences",
  lastApplied: "kubectl.kubernetes.io/last-applied-configuration",
} as const;

/** On a live object, by an operator: why nothing of its integration changes in this namespace. */
export const suspendAnnotation = "tenon.dev/suspend";

/** Where the object's integration ran before a move, as `cluster/namespace`, separated by commas. */
export const movedFromAnnotation = "tenon.dev/moved-from";

/** On a ReplicaSet: the Deployment that will adopt it. */
export const successorLabel = "tenon.dev/successor";

/** Written by owners and operators, and therefore not part of what they own. */
export const stamps: ReadonlySet<string> = new Set([
  annotation.integration,
  annotation.integrationVersion,
  annotation.sha256,
  annotation.update,
  annotation.caller,
  annotation.attribution,
  annotation.restart,
  suspendAnnotation,
  movedFromAnnotation,
  "external-resources/secret-updated-at",
]);

/** Pod-template annotations by which people restart workloads. */
export const restarts: readonly string[] = ["kubectl.kubernetes.io/restartedAt", "openshift.openshift.io/restartedAt"];

/** The metadata of an object, live or desired. */
export interface Marks {
  readonly name?: unknown;
  readonly annotations?: unknown;
  readonly labels?: unknown;
}

/** An integration that writes objects, and the owners it takes objects over from. */
export interface Claimant {
  readonly integration: string;
  readonly integrationVersion: string;
  /** The caller of the integration, where several run it; objects of other callers are not touched. */
  readonly caller?: string | undefined;
  /** All that run it; an object of a caller that is not among these is taken over. */
  readonly allCallers?: readonly string[] | undefined;
  /** Owners and callers whose objects are taken over. */
  readonly takeOverFrom?: readonly string[] | undefined;
}

/** The integration that says it owns the object, this one or another. */
export function ownerOf(metadata: Marks): string | undefined {
  return markAt(metadata.annotations, annotation.integration);
}

export function callerOf(metadata: Marks): string | undefined {
  return markAt(metadata.annotations, annotation.caller);
}

/** Another owner of the object, from which it is not taken over: the object must not be written. */
export function foreignOwner(
  metadata: Marks,
  { integration, takeOverFrom }: Pick<Claimant, "integration" | "takeOverFrom">,
): string | undefined {
  const owner = ownerOf(metadata);
  return owner === integration || (owner !== undefined && takeOverFrom?.includes(owner)) ? undefined : owner;
}

/** Another caller that still runs: the object must not be written. Undefined if it no longer runs, or none is recorded. */
export function foreignCaller(
  metadata: Marks,
  { caller, allCallers, takeOverFrom }: Pick<Claimant, "caller" | "allCallers" | "takeOverFrom">,
): string | undefined {
  const found = callerOf(metadata);
  if (caller === undefined || found === undefined || found === caller) return undefined;
  if (takeOverFrom?.includes(found)) return undefined;
  return allCallers === undefined || allCallers.includes(found) ? found : undefined;
}

/** Why an object that is not desired may be deleted: it is the claimant's own, or that of an owner it takes over from. */
export function claimToDelete(
  metadata: Marks & { readonly ownerReferences?: unknown },
  claimant: Claimant,
): "own" | "taken over" | undefined {
  const { integration, caller, takeOverFrom = [] } = claimant;
  if (isOwned(metadata, claimant) && (caller === undefined || callerOf(metadata) === caller)) return "own";
  const owner = ownerOf(metadata);
  if (owner === undefined || owner === integration || !takeOverFrom.includes(owner)) return undefined;
  const { ownerReferences } = metadata;
  // Kubernetes deletes it together with its owner.
  return Array.isArray(ownerReferences) && ownerReferences.length > 0 ? undefined : "taken over";
}

/** As semver.org has it: three numbers, and what may follow them. */
const semver = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

/** Whether an integration made the object, in this major version of it: only then may it delete the object. */
export function isOwned(
  metadata: Marks,
  { integration, integrationVersion }: Pick<Claimant, "integration" | "integrationVersion">,
): boolean {
  const { annotations } = metadata;
  if (ownerOf(metadata) !== integration) return false;
  const major = majorOf(markAt(annotations, annotation.integrationVersion));
  return (
    major !== undefined && major === majorOf(integrationVersion) && markAt(annotations, annotation.sha256) !== undefined
  );
}

function majorOf(version: string | undefined): string | undefined {
  return version === undefined ? undefined : semver.exec(version)?.[1];
}

/** Says to which of the things that one owner manages an object belongs; undefined for what they share. */
export type Attribute = (metadata: Marks) => string | undefined;

/** qontract-reconcile's chart puts it before the names of objects and the label `app`. */
const chartPrefix = "qontract-reconcile-";

/**
 * For objects that a chart rendered: by the annotation or label `tenon.dev/integration`, by the label `app`, or by the object's
 * name, in this order. `objectNames` has the integration of each name that a shard may have.
 */
export function renderedAttribution(
  integrations: ReadonlySet<string>,
  objectNames: ReadonlyMap<string, string>,
): Attribute {
  return ({ name, annotations, labels }) => {
    const marked = markAt(annotations, annotation.attribution) ?? markAt(labels, annotation.attribution);
    if (marked !== undefined && integrations.has(marked)) return marked;
    const app = markAt(labels, "app") ?? "";
    for (const candidate of [app, withoutPrefix(app)]) if (integrations.has(candidate)) return candidate;
    const written = typeof name === "string" ? name : "";
    return objectNames.get(written) ?? objectNames.get(withoutPrefix(written));
  };
}

/** For live objects, whose integration the data may no longer have: by the same marks, but not by name. */
export function liveAttribution(integrations: ReadonlySet<string>): Attribute {
  return ({ annotations, labels }) => {
    const marked = markAt(annotations, annotation.attribution) ?? markAt(labels, annotation.attribution);
    if (marked !== undefined) return marked;
    const app = markAt(labels, "app");
    if (app === undefined || integrations.has(app)) return app;
    return app.startsWith(chartPrefix) ? withoutPrefix(app) : undefined;
  };
}

function withoutPrefix(name: string): string {
  return name.startsWith(chartPrefix) ? name.slice(chartPrefix.length) : name;
}

/** The annotation or label of a key. */
export function markAt(marks: unknown, key: string): string | undefined {
  const value = valueAt(marks, [key]);
  return typeof value === "string" ? value : undefined;
}
