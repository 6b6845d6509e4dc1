import type { JsonObject, JsonValue } from "#base";
import { type KubeObject, refOf } from "#kube";
import { isApplied, isDeployer } from "../compare/field-managers.ts";
import { type FieldSet, isEmptySet, subtractFields, uniteFields } from "../compare/field-set.ts";
import { deployedFields, lastApplied } from "../compare/held-fields.ts";
import type { Writer } from "./writer.ts";
import { annotation } from "../object/attribution.ts";

/**
 * Before the first server-side apply of an object that its owner applied by other tools: the fields of these tools become ours, so
 * that the apply removes what is no longer desired, as their own next apply would have done.
 */
export async function inheritFields(
  live: KubeObject,
  { writer, fieldManager }: { readonly writer: Writer; readonly fieldManager: string },
  signal: AbortSignal,
): Promise<KubeObject> {
  const entries = live.metadata.managedFields ?? [];
  const inherited = entries.filter((entry) => isDeployer(entry) && entry.apiVersion === live.apiVersion);
  if (inherited.length === 0 || entries.some((entry) => isApplied(entry, fieldManager))) return live;
  const applied = lastApplied(live.metadata);
  const fields = inherited.map((entry) => deployedFields(entry, applied)).reduce<FieldSet>(uniteFields, {});
  const ours = { manager: fieldManager, operation: "Apply", apiVersion: live.apiVersion, fieldsType: "FieldsV1" };
  const kept = entries.filter((entry) => !isDeployer(entry));
  const managedFields = [...kept, { ...ours, fieldsV1: fields }];
  return (await replaceEntries(live, managedFields, [], writer, signal)) ?? live;
}

/**
 * After an apply: old tools give up what is ours now, or a field that we leave out later would stay because of them. What only they
 * have stays theirs. kubectl's copy of what it applied last is removed: with it, the next `kubectl apply` would undo our changes.
 */
export async function releaseFields(
  applied: KubeObject,
  { writer, fieldManager }: { readonly writer: Writer; readonly fieldManager: string },
  signal: AbortSignal,
): Promise<void> {
  const entries = applied.metadata.managedFields ?? [];
  const ours = entries.find((entry) => isApplied(entry, fieldManager))?.fieldsV1 ?? {};
  let isChanged = false;
  const managedFields = entries.flatMap((entry) => {
    if (!isDeployer(entry)) return [entry];
    const left = subtractFields(entry.fieldsV1 ?? {}, ours);
    if (JSON.stringify(left) === JSON.stringify(entry.fieldsV1)) return [entry];
    isChanged = true;
    return isEmptySet(left) ? [] : [{ ...entry, fieldsV1: left }];
  });
  const hasCopy = applied.metadata.annotations?.[annotation.lastApplied] !== undefined;
  if (!isChanged && !hasCopy) return;
  const removal = { op: "remove", path: `/metadata/annotations/${annotation.lastApplied.replace("/", "~1")}` };
  await replaceEntries(applied, managedFields, hasCopy ? [removal] : [], writer, signal);
}

/** Fails if the object has changed meanwhile. */
export async function replaceEntries(
  object: KubeObject,
  managedFields: readonly object[],
  further: readonly JsonObject[],
  writer: Pick<Writer, "patch">,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const value: JsonValue = JSON.parse(JSON.stringify(managedFields));
  const version: JsonValue = object.metadata.resourceVersion ?? "";
  const body = [
    { op: "replace", path: "/metadata/managedFields", value },
    { op: "replace", path: "/metadata/resourceVersion", value: version },
    ...further,
  ];
  return await writer.patch(refOf(object), { type: "json", body }, signal);
}
