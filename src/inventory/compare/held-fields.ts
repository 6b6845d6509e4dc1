import { childrenOf, type FieldSet, isEmptySet } from "./field-set.ts";
import type { FieldManager } from "./field-managers.ts";
import { annotation, markAt, type Marks } from "../object/attribution.ts";
import { type Exact, type ExactMap, isExactList, isExactMap, mapAt } from "../object/exact.ts";
import { foldStringData } from "../object/object-hash.ts";

/** The entries of an object's managedFields. */
export function managedEntries(current: ExactMap): readonly ExactMap[] {
  const noted = mapAt(current, "metadata")["managedFields"];
  return isExactList(noted) ? noted.filter(isExactMap) : [];
}

/** kubectl's copy of what it applied last; `undefined` if there is none. */
export function lastApplied({ annotations }: Marks): Exact | undefined {
  const text = markAt(annotations, annotation.lastApplied);
  if (text === undefined) return undefined;
  try {
    const applied: Exact = JSON.parse(text);
    return isExactMap(applied) && applied["kind"] === "Secret" ? foldStringData(applied) : applied;
  } catch {
    // People can edit it, and kubectl itself ignores a copy that it cannot read.
    return undefined;
  }
}

/**
 * The fields that a tool deployed. The API server also gives the writer of a whole object all defaults that it added itself:
 * `kubectl apply` tells the two apart by its copy of what it applied, and so do we.
 */
export function deployedFields(
  entry: FieldManager & { readonly fieldsV1?: unknown },
  applied: Exact | undefined,
): FieldSet {
  const fields = childrenOf(entry.fieldsV1);
  return applied === undefined || entry.operation === "Apply" ? fields : fieldsIn(fields, applied);
}

/** The fields of a set that a value has. */
function fieldsIn(fields: FieldSet, value: Exact): FieldSet {
  const kept: Record<string, unknown> = {};
  for (const [key, node] of Object.entries(fields)) {
    const found = key === "." ? undefined : stepInto(value, key);
    const below = childrenOf(node);
    const left = found && !isEmptySet(below) ? fieldsIn(below, found.value) : below;
    // A node that loses all its children must not become a field of its own.
    if (key === "." || (found && (left === below || !isEmptySet(left)))) kept[key] = left;
  }
  return kept;
}

interface Step {
  readonly segment: string | number;
  readonly value: Exact;
}

/** One step along a field set: `f:` is a field, `k:` an item of a list by its keys, `v:` one by its value, `i:` one by its place. */
export function stepInto(value: Exact | undefined, key: string): Step | undefined {
  const name = key.slice(2);
  if (key.startsWith("f:")) {
    const field = isExactMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    return field === undefined ? undefined : { segment: name, value: field };
  }
  if (!isExactList(value)) return undefined;
  const given: Exact = JSON.parse(name);
  const segment = key.startsWith("i:") ? Number(name) : value.findIndex((item) => isItem(item, given));
  const item = value[segment];
  return item === undefined ? undefined : { segment, value: item };
}

function isItem(item: Exact, given: Exact): boolean {
  if (!isExactMap(given)) return item === given;
  // The only key of a list that people may leave out.
  const valueOf = (key: string) => (isExactMap(item) ? item[key] : undefined) ?? (key === "protocol" ? "TCP" : null);
  return Object.entries(given).every(([key, value]) => valueOf(key) === value);
}
