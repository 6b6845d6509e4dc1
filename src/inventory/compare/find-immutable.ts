import { formatFieldPath } from "#base";
import type { FieldChange } from "./find-changes.ts";
import { canonicalJson } from "../object/canonical-json.ts";
import { type Exact, type ExactMap, isExactList, isExactMap, mapAt } from "../object/exact.ts";

/** Of a StatefulSet, everything else in `spec` cannot be changed. */
const mutableOfStatefulSet = new Set<unknown>([
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
]);
const immutableOfJob = new Set<unknown>([
  "selector",
  "template",
  "completions",
  "completionMode",
  "podFailurePolicy",
  "successPolicy",
  "backoffLimitPerIndex",
  "managedBy",
]);
const immutableOfService = new Set<unknown>(["clusterIP", "clusterIPs", "ipFamilies", "loadBalancerClass"]);

type IsImmutable = (change: FieldChange) => boolean;

/** Only kinds that are replaced: of all others, the API server's refusal is a failure. */
const rules: ReadonlyMap<string, IsImmutable> = new Map<string, IsImmutable>([
  ["Deployment", ({ path: [top, field] }) => top === "spec" && field === "selector"],
  [
    "StatefulSet",
    ({ path: [top, field] }) => top === "spec" && field !== undefined && !mutableOfStatefulSet.has(field),
  ],
  ["Job", ({ path: [top, field] }) => top === "spec" && immutableOfJob.has(field)],
  // What is left out or was not set is filled in by the API server.
  [
    "Service",
    ({ path: [top, field], before, after }) =>
      top === "spec" && immutableOfService.has(field) && before !== undefined && after !== undefined,
  ],
  ["Secret", ({ path: [field], before, after }) => field === "type" && before !== undefined && after !== undefined],
  ["Route", ({ path: [top, field], before }) => top === "spec" && field === "host" && before !== undefined],
]);

/** The first of these changes that the API server refuses, so that the object has to be deleted and created again. */
export function findImmutable(kind: string, changes: readonly FieldChange[]): string | undefined {
  const isImmutable = rules.get(kind);
  const found = isImmutable && changes.find(isImmutable);
  return found && formatFieldPath(found.path);
}

/**
 * Changes of fields that an apply replaces as a whole: what only the live object has there counts too, although it was added by
 * others. Only fields that cannot be changed, because such a change replaces the object.
 */
export function findWholeChanges(desired: ExactMap, current: ExactMap): FieldChange[] {
  const [wanted, found] = [mapAt(desired, "spec"), mapAt(current, "spec")];
  const differing = [
    { field: "selector", isSame: sameSelector, kinds: ["Deployment", "StatefulSet"] },
    { field: "volumeClaimTemplates", isSame: sameLength, kinds: ["StatefulSet"] },
  ].filter(
    ({ field, isSame, kinds }) =>
      typeof desired["kind"] === "string" &&
      kinds.includes(desired["kind"]) &&
      wanted[field] !== undefined &&
      found[field] !== undefined &&
      !isSame(wanted[field], found[field]),
  );
  return differing.map(({ field }) => ({ path: ["spec", field], before: found[field], after: wanted[field] }));
}

function sameSelector(one: Exact, other: Exact): boolean {
  return canonicalJson(selectorParts(one)) === canonicalJson(selectorParts(other));
}

/** The API server leaves out what is empty. */
function selectorParts(selector: Exact): Exact {
  const expressions = isExactMap(selector) ? selector["matchExpressions"] : undefined;
  return [mapAt(selector, "matchLabels"), expressions ?? []];
}

function sameLength(one: Exact, other: Exact): boolean {
  return isExactList(one) && isExactList(other) && one.length === other.length;
}
