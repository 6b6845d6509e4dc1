import { compareText, valueAt } from "#base";
import { sumUpTrouble, troubleOf } from "#integrations";
import { liveAttribution } from "#inventory";
import { identityOnly, type KubeObject } from "#kube";
import type { ConsoleRow } from "./console-api.ts";
import { changedAt } from "./object-rows.ts";

/** The kinds that run the shards of integrations. */
export const workloadKinds = [
  { apiVersion: "apps/v1", kind: "Deployment" },
  { apiVersion: "apps/v1", kind: "StatefulSet" },
  { apiVersion: "batch/v1", kind: "CronJob" },
] as const;

const attribute = liveAttribution(new Set());

/** The integration that a live workload belongs to. Only what Tenon or qontract-reconcile deployed has one. */
export function integrationOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.["qontract.integration"] === undefined ? undefined : attribute(metadata);
}

/** Keeps of a workload of others only what identifies it. */
export function forgetOthers(object: KubeObject): KubeObject {
  return integrationOf(object) === undefined ? identityOnly(object) : object;
}

export interface ConsoleShard {
  readonly name: string;
  readonly kind: string;
  readonly ready: string;
  readonly image: string;
  readonly trouble: readonly string[];
}

export function shardOf(object: KubeObject, pods: readonly KubeObject[] = []): ConsoleShard {
  const { kind, metadata } = object;
  const template =
    valueAt(object, ["spec", "jobTemplate", "spec", "template"]) ?? valueAt(object, ["spec", "template"]);
  const image = valueAt(template, ["spec", "containers", 0, "image"]);
  const [ready, desired] = readiness(object);
  return {
    name: metadata.name,
    kind,
    ready: kind === "CronJob" ? "on schedule" : `${ready} of ${desired}`,
    image: typeof image === "string" ? image : "",
    trouble: troubleOf(kind, object, pods),
  };
}

function readiness(object: KubeObject): readonly [ready: number, desired: number] {
  if (object.kind === "CronJob") return [0, 0];
  return [
    Number(valueAt(object, ["status", "readyReplicas"]) ?? 0),
    Number(valueAt(object, ["spec", "replicas"]) ?? 1),
  ];
}

/** The workloads of one integration in one namespace. */
export function groupShards(workloads: readonly KubeObject[]): Map<string, [KubeObject, ...KubeObject[]]> {
  const groups = new Map<string, [KubeObject, ...KubeObject[]]>();
  for (const workload of workloads) {
    const integration = integrationOf(workload);
    if (integration === undefined) continue;
    const key = `${workload.metadata.namespace}/${integration}`;
    const group = groups.get(key);
    if (group) group.push(workload);
    else groups.set(key, [workload]);
  }
  return groups;
}

/** One integration in one namespace, from what is live. */
export function integrationRow(key: string, workloads: readonly KubeObject[]): ConsoleRow {
  const [namespace = "", name = ""] = key.split("/");
  const shards = workloads.toSorted((one, other) => compareText(one.metadata.name, other.metadata.name));
  const shown = shards.map((shard) => shardOf(shard));
  const trouble = sumUpTrouble(shown);
  const counts = shards.map(readiness);
  const sum = (at: 0 | 1) => counts.reduce((total, each) => total + each[at], 0);
  // A rollout that is still on its way says so; one that cannot go on has a condition or a pod that says why.
  const isStuck = shards.some((shard) => isFailing(shard));
  const since = shards
    .map((shard) => changedAt(shard) ?? "")
    .toSorted()
    .at(-1);
  return {
    list: "integrations",
    namespace,
    name,
    state: trouble.length === 0 ? "Running" : isStuck ? "Failing" : "Starting",
    waitsOn: trouble.length === 0 ? "nothing" : isStuck ? "person" : "tenon",
    ...(since ? { since } : {}),
    ...(trouble.length === 0 ? {} : { waitsFor: trouble.join("; ") }),
    ...(isStuck ? { next: "see the pods of the shard that fails, and its Events" } : {}),
    cells: {
      ready: shards.every(({ kind }) => kind === "CronJob") ? "on schedule" : `${sum(0)} of ${sum(1)}`,
      shards: String(shards.length),
      image: [...new Set(shown.map(({ image }) => image))].join(", "),
    },
  };
}

function isFailing(shard: KubeObject): boolean {
  const conditions = valueAt(shard, ["status", "conditions"]);
  if (!Array.isArray(conditions)) return false;
  return conditions.some((each) => {
    const [type, status] = [valueAt(each, ["type"]), valueAt(each, ["status"])];
    return type === "ReplicaFailure" ? status === "True" : type === "Progressing" && status === "False";
  });
}
