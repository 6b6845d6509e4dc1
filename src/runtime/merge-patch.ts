/** The JSON merge patch (RFC 7386) that makes one value of the other; undefined when they are equal, whatever the order of keys. */
export function mergePatch(before: unknown, after: unknown): unknown {
  if (!isObject(before) || !isObject(after)) return isEqual(before, after) ? undefined : (after ?? null);
  const patch: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const part = mergePatch(own(before, key), own(after, key));
    if (part !== undefined) patch[key] = part;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function isEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isEqual(item, other[index]));
  }
  if (isObject(one) && isObject(other)) return mergePatch(one, other) === undefined;
  return (one ?? undefined) === (other ?? undefined);
}

function own(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
