import { type FieldPath, parseFieldPath } from "#base";
import type { ApiError, KubeObject } from "#kube";
import { isApplied } from "../compare/field-managers.ts";
import { childrenOf, type FieldSet, isEmptySet, uniteFields } from "../compare/field-set.ts";
import { managedEntries, stepInto } from "../compare/held-fields.ts";
import { type Exact, type ExactMap, isExactList, isExactMap, mapAt } from "../object/exact.ts";
import { liveBody } from "../object/managed-object.ts";
import { replaceEntries } from "./migrate-field-managers.ts";
import type { Writer } from "./writer.ts";

/** What the API server says of a field that excludes another one: of one kind of volume, for example, beside another. */
const excluding = /may not (?:be specified when|specify more than 1|have more than one field specified)/;

/**
 * After an apply that was refused because the live object has a field that cannot be there beside ours, such as the `valueFrom` of a
 * variable to which we give a `value`: such fields become ours, also those of others, so that an apply without them removes them. Returns
 * the object as it is then; `undefined` if the refusal is about something else.
 */
export async function takeExcludedFields(
  refusal: ApiError,
  { object, live }: { readonly object: KubeObject; readonly live: KubeObject },
  { writer, fieldManager }: { readonly writer: Pick<Writer, "patch">; readonly fieldManager: string },
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const [wanted, found] = [liveBody(object), liveBody(live)];
  const entries = managedEntries(found);
  const known = entries.map((entry) => mapAt(entry, "fieldsV1")).reduce<FieldSet>(uniteFields, {});
  const taken = (refusal.details?.causes ?? []).flatMap(({ field = "", message = "" }) =>
    excluding.test(message) ? excludedAt(readPath(field), { wanted, found, known }) : [],
  );
  if (taken.length === 0 || !entries.some((entry) => isApplied(entry, fieldManager))) return undefined;
  const managedFields = entries.map((entry) => {
    const change = isApplied(entry, fieldManager) ? withField : withoutField;
    return withFields(entry, taken.reduce<FieldSet>(change, mapAt(entry, "fieldsV1")));
  });
  return await replaceEntries(live, managedFields, [], writer, signal);
}

function withFields(entry: ExactMap, fieldsV1: FieldSet): object {
  return { ...entry, fieldsV1 };
}

function readPath(field: string): FieldPath {
  try {
    return parseFieldPath(field);
  } catch {
    return [];
  }
}

/** The same place in what we want, in what there is, and in the fields that have managers. */
interface Place {
  readonly wanted: Exact | undefined;
  readonly found: Exact | undefined;
  readonly known: FieldSet;
}

/** Fields of the live object beside ours, as paths in a set of fields: the named one, or all where ours is named or the place itself. */
function excludedAt(path: FieldPath, object: Place): string[][] {
  const above: string[] = [];
  let place = object;
  for (const step of path.slice(0, -1)) {
    const key = keyOf(step, place);
    if (key === undefined) return [];
    above.push(key);
    place = stepTo(key, place);
  }
  const [name] = path.slice(-1);
  if (typeof name !== "string" || !isExactMap(place.wanted) || !isExactMap(place.found)) return [];
  if (!Object.hasOwn(place.wanted, name)) return Object.hasOwn(place.found, name) ? [[...above, `f:${name}`]] : [];
  const below = onlyFound(stepTo(`f:${name}`, place)).map((key) => above.concat(`f:${name}`, key));
  return below.length > 0 ? below : onlyFound(place).map((key) => above.concat(key));
}

function onlyFound({ wanted, found }: Place): string[] {
  if (!isExactMap(wanted) || !isExactMap(found)) return [];
  return Object.keys(found).flatMap((key) => (Object.hasOwn(wanted, key) ? [] : `f:${key}`));
}

function keyOf(step: string | number, { found, known }: Place): string | undefined {
  if (typeof step === "string") return `f:${step}`;
  if (!isExactList(found)) return undefined;
  return Object.keys(known).find((key) => key.startsWith("k:") && stepInto(found, key)?.segment === step);
}

function stepTo(key: string, { wanted, found, known }: Place): Place {
  return {
    wanted: stepInto(wanted, key)?.value,
    found: stepInto(found, key)?.value,
    known: Object.hasOwn(known, key) ? childrenOf(known[key]) : {},
  };
}

function withField(set: FieldSet, [key, ...rest]: readonly string[]): FieldSet {
  if (key === undefined) return set;
  const isKnown = Object.hasOwn(set, key);
  const below = isKnown ? childrenOf(set[key]) : {};
  if (rest.length === 0) return { ...set, [key]: {} };
  // What was a field of its own stays one.
  const self = isKnown && isEmptySet(below) ? { ".": {} } : below;
  return { ...set, [key]: withField(self, rest) };
}

function withoutField(set: FieldSet, [key, ...rest]: readonly string[]): FieldSet {
  if (key === undefined || !Object.hasOwn(set, key)) return set;
  const { [key]: node, ...others } = set;
  const below = childrenOf(node);
  if (rest.length === 0) return others;
  const left = withoutField(below, rest);
  return isEmptySet(left) && !isEmptySet(below) ? others : { ...set, [key]: left };
}
