import { annotation, stamps } from "./annotations.ts";
import { canonicalByKind } from "./canonical-by-kind.ts";
import { type ExactObject, mapAt, without } from "./exact.ts";

/** What the API server and its controllers write into metadata. */
const serverMetadata = new Set([
  "creationTimestamp",
  "resourceVersion",
  "generation",
  "selfLink",
  "uid",
  "namespace",
  "managedFields",
]);

/**
 * The object as its hash sees it: without what clusters add to it, and without the stamps of owners. Parts that stay as they are
 * are shared with `body`, which is not changed.
 */
export function canonicalBody(body: ExactObject): ExactObject {
  const given = mapAt(body, "metadata");
  const metadata = without(given, (key) => serverMetadata.has(key));
  const annotations = without(mapAt(given, "annotations"), (key) => stamps.has(key) || key === annotation.lastApplied);
  return canonicalByKind({ ...without(body, (key) => key === "status"), metadata: { ...metadata, annotations } });
}
