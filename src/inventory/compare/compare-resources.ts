import { annotation, stamps } from "../resource/annotations.ts";
import { type ExactObject, mapAt, without } from "../resource/exact.ts";
import { foldStringData } from "../resource/fold-string-data.ts";
import type { OpenshiftResource } from "../resource/openshift-resource.ts";
import { type FieldChange, findDifferences } from "./find-differences.ts";
import { keepRestarts } from "./keep-restarts.ts";

export interface Comparison {
  /** What is to be applied: the desired resource, with restarts kept. */
  readonly desired: OpenshiftResource;
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
export function compareResources(wanted: OpenshiftResource, current: OpenshiftResource): Comparison {
  const body = keepRestarts(wanted.body, current.body);
  const desired = body === wanted.body ? wanted : wanted.withBody(body);
  const changes = findDifferences(withoutStamps(desired.body), withoutStamps(current.body));
  return { desired, changes, reason: reasonFor(desired, current, changes) };
}

function reasonFor(
  desired: OpenshiftResource,
  current: OpenshiftResource,
  changes: readonly FieldChange[],
): string | undefined {
  const owner = current.annotation(annotation.integration);
  const recorded = current.annotation(annotation.sha256);
  if (owner === undefined || recorded === undefined) return "is not yet marked as ours";
  if (owner !== desired.integration) return `is marked as belonging to ${owner}`;
  if (recorded !== desired.sha256())
    return changes.length === 0 ? "was wanted otherwise when it was applied" : "is wanted otherwise now";
  return changes.length === 0 ? undefined : "was changed on the cluster";
}

function withoutStamps(body: ExactObject): ExactObject {
  const { status: _, ...rest } = body["kind"] === "Secret" ? foldStringData(body) : body;
  const metadata = without(mapAt(body, "metadata"), (key) => foreignMetadata.has(key));
  const annotations = mapAt(metadata, "annotations");
  const own = without(annotations, (key) => stamps.has(key) || key === annotation.lastApplied);
  return { ...rest, metadata: { ...metadata, annotations: own } };
}
