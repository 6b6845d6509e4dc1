import type { FieldPath } from "#base";
import { defaultFieldManager } from "#kube";
import { type FieldChange, findDifferences } from "./find-changes.ts";
import { findWholeChanges } from "./find-immutable.ts";
import { findRemovals } from "./find-removals.ts";
import type { IgnoredFields } from "./ignored-fields.ts";
import { fieldsHeldBy, isIgnoredPath, keepField, keepIgnored } from "./keep-ignored.ts";
import { nameHolders } from "./name-holders.ts";
import { annotation, ownerOf, restarts, stamps } from "../object/attribution.ts";
import { type Exact, type ExactMap, mapAt, without } from "../object/exact.ts";
import type { ManagedObject } from "../object/managed-object.ts";
import { foldStringData } from "../object/object-hash.ts";

export interface ObjectComparison {
  /** What is to be applied: the desired resource, with restarts kept, and with the live values of ignored fields. */
  readonly desired: ManagedObject;
  /** Why it is to be applied; `undefined` if the live object is as desired. */
  readonly reason: string | undefined;
  /** Fields that are not as desired. Empty although there is a reason if only the recorded hash is out of date. */
  readonly changes: readonly FieldChange[];
  /** Whether ignored fields are not as desired. */
  readonly hasIgnored: boolean;
}

export interface ComparisonOptions {
  /** Default `tenon`. */
  readonly fieldManager?: string | undefined;
  readonly ignored?: IgnoredFields | undefined;
}

/** What the API server adds to metadata, and what cannot be desired. */
const foreignMetadata = new Set([
  "creationTimestamp",
  "resourceVersion",
  "generation",
  "selfLink",
  "uid",
  "fieldRef",
  "managedFields",
  "namespace",
]);

/**
 * Whether a live object is as desired: it carries the hash of the desired object, and no field that we wrote has changed. The hash
 * is that of the desired object, whatever is ignored: it changes with what is desired, and with nothing else.
 */
export function compareObjects(
  wanted: ManagedObject,
  current: ManagedObject,
  { fieldManager = defaultFieldManager, ignored }: ComparisonOptions = {},
): ObjectComparison {
  const body = keepRestarts(wanted.body, current.body);
  const desired = body === wanted.body ? wanted : wanted.withBody(body);
  const found = folded(current.body);
  let sent = desired.body;
  if (ignored) {
    const held = fieldsHeldBy(current.body, ignored, fieldManager);
    sent = keepIgnored(folded(sent), ownFields(current.body), { paths: ignored.paths, held });
  }
  const own = ownFields(sent);
  const changes = findDifferences(own, found);
  let hasIgnored = ignored !== undefined && findDifferences(ownFields(desired.body), found).length > changes.length;
  // A field that is no longer desired was desired when the object was applied, so the hash differs.
  if (current.annotation(annotation.sha256) !== desired.sha256()) {
    const isKnown = ([top, field]: FieldPath) => changes.some(({ path }) => path[0] === top && path[1] === field);
    changes.push(...findWholeChanges(own, found).filter(({ path }) => !isKnown(path)));
    for (const removal of findRemovals(own, found, fieldManager)) {
      if (ignored && isIgnoredPath(removal.path, ignored)) {
        sent = keepField(sent, found, removal.path);
        hasIgnored = true;
      } else changes.push(removal);
    }
  }
  const applied = sent === desired.body ? desired : desired.withFields(sent);
  const named = changes.length === 0 ? changes : nameHolders(changes, own, found, fieldManager);
  return { desired: applied, changes: named, hasIgnored, reason: reasonFor(desired, current, changes) };
}

function reasonFor(
  desired: ManagedObject,
  current: ManagedObject,
  changes: readonly FieldChange[],
): string | undefined {
  const owner = ownerOf(current.metadata);
  const recorded = current.annotation(annotation.sha256);
  if (owner === undefined || recorded === undefined) return "has no owner yet";
  if (owner !== desired.integration) return `taken over from ${owner}`;
  if (recorded !== desired.sha256()) return changes.length === 0 ? "only its recorded hash is out of date" : "changed";
  if (changes.length > 0) return "changed on the cluster";
  return current.annotation(annotation.restart) && "pods that use it still need a restart";
}

/** The fields of an applied object that the live one lacks or that differ. */
export function findDrift(applied: ExactMap, live: ExactMap): FieldChange[] {
  return findDifferences(ownFields(applied), folded(live));
}

/** The fields of an object without those that the server and the owner write. */
function ownFields(body: ExactMap): ExactMap {
  const given = mapAt(body, "metadata");
  const annotations = mapAt(given, "annotations");
  const own = without(annotations, (key) => stamps.has(key) || key === annotation.lastApplied);
  const metadata = without(given, (key) => foreignMetadata.has(key));
  const isWhole = own === annotations && metadata === given;
  const kept = without(folded(body), (key) => key === "status");
  return isWhole ? kept : { ...kept, metadata: { ...metadata, annotations: own } };
}

function folded(body: ExactMap): ExactMap {
  return body["kind"] === "Secret" ? foldStringData(body) : body;
}

const restartable = new Set(["DaemonSet", "Deployment", "DeploymentConfig", "StatefulSet"]);

/** The desired object with the restart annotations that people added since: applying must not undo a restart. */
function keepRestarts(desired: ExactMap, current: ExactMap): ExactMap {
  if (typeof desired["kind"] !== "string" || !restartable.has(desired["kind"])) return desired;
  const marks = annotationsOf(current);
  const wanted = annotationsOf(desired);
  const kept: { [key: string]: Exact } = {};
  for (const key of restarts) {
    const mark = marks[key];
    if (mark !== undefined && !Object.hasOwn(wanted, key)) kept[key] = mark;
  }
  if (Object.keys(kept).length === 0) return desired;
  const spec = mapAt(desired, "spec");
  const template = mapAt(spec, "template");
  const metadata = { ...mapAt(template, "metadata"), annotations: { ...wanted, ...kept } };
  return { ...desired, spec: { ...spec, template: { ...template, metadata } } };
}

function annotationsOf(workload: ExactMap): ExactMap {
  return mapAt(mapAt(mapAt(mapAt(workload, "spec"), "template"), "metadata"), "annotations");
}
