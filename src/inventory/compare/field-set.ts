/** Fields as the API server notes them for a field manager: https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management */
export type FieldSet = Readonly<Record<string, unknown>>;

/** All fields of both. */
export function uniteFields(one: FieldSet, other: FieldSet): FieldSet {
  const united: Record<string, unknown> = { ...one };
  for (const [key, below] of Object.entries(other)) {
    const known = below && Object.hasOwn(united, key) ? united[key] : undefined;
    united[key] = known === undefined ? below : uniteNodes(childrenOf(known), childrenOf(below));
  }
  return united;
}

/** An empty node is a field of its own; one with children is so only if it says `.`. */
function uniteNodes(one: FieldSet, other: FieldSet): FieldSet {
  if (isLeaf(one) && isLeaf(other)) return {};
  const self = isMember(one) || isMember(other) ? { ".": {} } : {};
  return { ...self, ...uniteFields(one, other) };
}

/** The fields of `one` that `other` does not have. */
export function subtractFields(one: FieldSet, other: FieldSet): FieldSet {
  const left: Record<string, unknown> = {};
  for (const [key, below] of Object.entries(one)) {
    if (key === ".") {
      if (!isMember(other)) left[key] = below;
      continue;
    }
    const children = childrenOf(below);
    if (!Object.hasOwn(other, key)) left[key] = below;
    else if (isLeaf(children)) {
      if (!isMember(childrenOf(other[key]))) left[key] = below;
    } else {
      const rest = subtractFields(children, childrenOf(other[key]));
      if (!isLeaf(rest)) left[key] = rest;
    }
  }
  return left;
}

export function isEmptySet(set: FieldSet): boolean {
  return isLeaf(set);
}

/** Whether the node is a field of its own, and not only on the way to others. */
export function isMember(node: FieldSet): boolean {
  return isLeaf(node) || Object.hasOwn(node, ".");
}

function isLeaf(node: FieldSet): boolean {
  return Object.keys(node).length === 0;
}

export function childrenOf(node: unknown): FieldSet {
  return typeof node === "object" && node !== null ? { ...node } : {};
}
