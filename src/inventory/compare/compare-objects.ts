import { defaultFieldManager } from "#kube";
import { type FieldChange, findDifferences, findRemovals } from "./find-changes.ts";
import { annotation, ownerOf, restarts, stamps } from "../object/attribution.ts";
import { type Exact, type ExactMap, mapAt, without } from "../object/exact.ts";
import type { ManagedObject } from "../object/managed-object.ts";
import { foldStringData } from "../object/object-hash.ts";

export interface ObjectComparison {
  /** What is to be applied: the desired resource, with restarts kept. */
  readonly desired: ManagedObject;
  /** Why it is to be applied; `undefined` if current is as it is wanted. */
  readonly reason: string | undefined;
  /** Fields that are not as they are wanted. It may be empty although there is a reason: only the stamp is old then. */
  readonly changes: readonly FieldChange[];
}

/** What the API server adds to metadata, and what nobody can want. */
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

/** Whether an object is as it is wanted: it carries our hash of what is wanted, and nobody has changed what we wrote. */
export function compareObjects(
  wanted: ManagedObject,
  current: ManagedObject,
  fieldManager = defaultFieldManager,
): ObjectComparison {
  const body = keepRestarts(wanted.body, current.body);
  const desired = body === wanted.body ? wanted : wanted.withBody(body);
  const own = ownFields(desired.body);
  const found = folded(current.body);
  const changes = findDifferences(own, found);
  // What is wanted no more was wanted when it was applied, so the hash is another one.
  if (current.annotation(annotation.sha256) !== desired.sha256())
    changes.push(...findRemovals(own, found, fieldManager));
  return { desired, changes, reason: reasonFor(desired, current, changes) };
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

/** What of a wanted object can be wanted: all but what the server and the owner write. */
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

/** What is wanted, with the marks of restarts that people asked for since: applying must not undo them. */
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
