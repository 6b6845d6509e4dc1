import { valueAt } from "#base";
import type { KubeObject } from "#kube";
import { annotation } from "../object/attribution.ts";

/** ready · pending: what is missing · failed: it will not become ready by itself. */
export type Readiness =
  | { readonly is: "ready" }
  | { readonly is: "pending"; readonly missing: string }
  | { readonly is: "failed"; readonly why: string };

const ready: Readiness = { is: "ready" };

type Judge = (object: KubeObject) => Readiness;

const judges: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  ["Deployment", judgeReplicas],
  ["DeploymentConfig", judgeReplicas],
  ["StatefulSet", judgeReplicas],
  ["DaemonSet", judgeDaemons],
  ["Job", judgeJob],
  ["Subscription", judgeSubscription],
  ["ClowdApp", judgeClowdApp],
  ["ClowdJobInvocation", judgeInvocation],
]);

/** Whether objects of the kind take time to become what was applied. */
export function takesTime(kind: string): boolean {
  return judges.has(kind);
}

/** Whether an object has become what was applied. */
export function readinessOf(object: KubeObject): Readiness {
  return judges.get(object.kind)?.(object) ?? ready;
}

/** When its owner last wrote an object, in milliseconds since the epoch, as it says itself. */
export function updatedAt({ metadata: { annotations = {} } }: KubeObject): number | undefined {
  const time = Date.parse(annotations[annotation.update] ?? "");
  return Number.isNaN(time) ? undefined : time;
}

function judgeReplicas(object: KubeObject): Readiness {
  const { generation = 0 } = object.metadata;
  const observed = numberAt(object, ["status", "observedGeneration"]);
  if (observed < generation) return pending("its controller has not seen the change yet");
  const condition = statusConditionOf(object, "Progressing");
  if (condition?.status === "False" && condition.reason === "ProgressDeadlineExceeded") {
    return { is: "failed", why: condition.message };
  }
  const wanted = numberAt(object, ["spec", "replicas"], 1);
  if (wanted === 0) return ready;
  for (const [field, state] of [
    ["updatedReplicas", "updated"],
    ["replicas", "there"],
    ["readyReplicas", "ready"],
  ] as const) {
    const count = numberAt(object, ["status", field]);
    if (count === wanted || (field === "updatedReplicas" && count >= wanted - heldBack(object, wanted))) continue;
    return pending(`${count} of ${wanted} replicas are ${state}`);
  }
  return ready;
}

/** How many pods the update strategy leaves as they were: people delete them, or lower the partition, when they want to. */
function heldBack(object: KubeObject, wanted: number): number {
  if (isUpdatedByHand(object)) return wanted;
  return Math.min(numberAt(object, ["spec", "updateStrategy", "rollingUpdate", "partition"]), wanted);
}

function isUpdatedByHand(object: KubeObject): boolean {
  return valueAt(object, ["spec", "updateStrategy", "type"]) === "OnDelete";
}

function judgeDaemons(object: KubeObject): Readiness {
  const { generation = 0 } = object.metadata;
  if (numberAt(object, ["status", "observedGeneration"]) < generation) {
    return pending("its controller has not seen the change yet");
  }
  const wanted = numberAt(object, ["status", "desiredNumberScheduled"]);
  for (const [field, state] of [
    ["updatedNumberScheduled", "updated"],
    ["numberReady", "ready"],
  ] as const) {
    const count = numberAt(object, ["status", field]);
    if (count >= wanted || (field === "updatedNumberScheduled" && isUpdatedByHand(object))) continue;
    return pending(`${count} of ${wanted} pods are ${state}`);
  }
  return ready;
}

function judgeJob(object: KubeObject): Readiness {
  const failed = statusConditionOf(object, "Failed");
  if (failed?.status === "True") return { is: "failed", why: `${failed.reason}: ${failed.message}` };
  return numberAt(object, ["status", "succeeded"]) > 0 ? ready : pending("it has not succeeded yet");
}

function judgeSubscription(object: KubeObject): Readiness {
  const state = valueAt(object, ["status", "state"]);
  return state === "AtLatestKnown" ? ready : pending(`its state is ${typeof state === "string" ? state : "not known"}`);
}

function judgeClowdApp(object: KubeObject): Readiness {
  const managed = numberAt(object, ["status", "deployments", "managedDeployments"]);
  const count = numberAt(object, ["status", "deployments", "readyDeployments"]);
  return managed === count ? ready : pending(`${count} of ${managed} deployments are ready`);
}

function judgeInvocation(object: KubeObject): Readiness {
  return valueAt(object, ["status", "completed"]) === true ? ready : pending("it is not completed");
}

function pending(missing: string): Readiness {
  return { is: "pending", missing };
}

export function numberAt(object: KubeObject, path: readonly string[], otherwise = 0): number {
  const value = valueAt(object, path);
  return typeof value === "number" ? value : otherwise;
}

interface Condition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** A condition of an object, if its status has it; absent texts are empty. */
export function statusConditionOf(object: KubeObject, type: string): Condition | undefined {
  const conditions = valueAt(object, ["status", "conditions"]);
  const found: unknown = Array.isArray(conditions)
    ? conditions.find((each) => valueAt(each, ["type"]) === type)
    : undefined;
  if (found === undefined) return undefined;
  const text = (key: string) => {
    const value = valueAt(found, [key]);
    return typeof value === "string" ? value : "";
  };
  return { status: text("status"), reason: text("reason"), message: text("message") };
}
