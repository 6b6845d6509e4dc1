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
  const { status: _, ...rest } = body;
  const metadata = mapAt(body, "metadata");
  const annotations = without(mapAt(metadata, "annotations"), (key) => key === annotation.lastApplied);
  const bare: ExactObject = {
    ...rest,
    metadata: { ...without(metadata, (key) => serverMetadata.has(key)), annotations },
  };
  const canonical = canonicalByKind(bare);
  const kept = mapAt(canonical, "metadata");
  return {
    ...canonical,
    metadata: { ...kept, annotations: without(mapAt(kept, "annotations"), (key) => stamps.has(key)) },
  };
}
