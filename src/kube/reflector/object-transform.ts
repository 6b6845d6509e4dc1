import type { KubeObject } from "../client/object.ts";

/** Makes of an object what is worth keeping of it. Name, namespace, uid and version must stay as they are. */
export type ObjectTransform = (object: KubeObject) => KubeObject;

/**
 * The object without `managedFields`, which are often more than half of it and which nobody reads from a cache, and as
 * `transform` wants it. Where that fails, the object is kept whole: too much memory is better than an object too few.
 */
export function transformForStore(
  transform: ObjectTransform | undefined,
  onError: (error: unknown) => void,
): ObjectTransform {
  if (!transform) return withoutManagedFields;
  return (object) => {
    const whole = withoutManagedFields(object);
    try {
      const kept = transform(whole);
      if (isSameObject(whole, kept)) return kept;
      throw new Error("the transform changed the object's name, namespace, uid or resourceVersion");
    } catch (error) {
      onError(error);
      return whole;
    }
  };
}

function withoutManagedFields(object: KubeObject): KubeObject {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function isSameObject({ metadata: one }: KubeObject, { metadata: other }: KubeObject): boolean {
  return (
    one.name === other.name &&
    one.namespace === other.namespace &&
    one.uid === other.uid &&
    one.resourceVersion === other.resourceVersion
  );
}
