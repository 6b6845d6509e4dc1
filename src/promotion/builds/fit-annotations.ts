/** What the API server accepts for all annotations of an object together, names and values. */
export const mostAnnotationBytes = 256 * 1_024;

type Annotations = Readonly<Record<string, string>>;

export function annotationBytes(annotations: Annotations): number {
  return Object.entries(annotations).reduce((sum, [name, value]) => sum + entryBytes(name, value), 0);
}

export function entryBytes(name: string, value: string): number {
  return Buffer.byteLength(name) + Buffer.byteLength(value);
}

/**
 * The changes for which an object has room, in their order. The API server refuses a write as a whole if one annotation is too
 * much, with the finalizer that it was to remove.
 */
export function fitAnnotations(
  current: Annotations,
  changes: Readonly<Record<string, string | null>>,
): Readonly<Record<string, string | null>> {
  const isRemoved = (name: string): boolean => changes[name] === null;
  const kept = Object.entries(current).filter(([name]) => !isRemoved(name));
  let bytes = annotationBytes(Object.fromEntries(kept));
  const fitting = Object.entries(changes).filter(([name, value]) => {
    if (value === null) return true;
    const before = current[name];
    const after = bytes + entryBytes(name, value) - (before === undefined ? 0 : entryBytes(name, before));
    if (after > mostAnnotationBytes) return false;
    bytes = after;
    return true;
  });
  return Object.fromEntries(fitting);
}
