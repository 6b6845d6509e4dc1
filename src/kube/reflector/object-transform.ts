import type { KubeObject } from "../client/object.ts";

/** Reduces an object to what the store should keep. Must not change name, namespace, uid and resourceVersion. */
export type ObjectTransform = (object: KubeObject) => KubeObject;

/**
 * Removes `managedFields`, which are often more than half of an object and not needed in a cache, then applies `transform`.
 * If that fails, the whole object is kept: more memory is better than a missing object.
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

/** The object as a store keeps it. */
export function withoutManagedFields(object: KubeObject): KubeObject {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** What identifies the object, and nothing else of it. */
export function identityOnly({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
}

function isSameObject({ metadata: one }: KubeObject, { metadata: other }: KubeObject): boolean {
  return (
    one.name === other.name &&
    one.namespace === other.namespace &&
    one.uid === other.uid &&
    one.resourceVersion === other.resourceVersion
  );
}
