import { isJsonObject, type JsonObject, valueAt } from "#base";

/** Why a pod is not ready, in one phrase; `undefined` if it is ready or on its way. */
export function podTrouble(pod: unknown): string | undefined {
  if (isTrueCondition(pod, "Ready")) return undefined;
  const phase = valueAt(pod, ["status", "phase"]);
  if (phase === "Succeeded") return undefined;
  const stuck = containersOf(pod).map(containerTrouble).find(Boolean);
  if (stuck !== undefined) return stuck;
  const reason = textAt(pod, ["status", "reason"]);
  if (phase === "Failed") return [reason ?? "failed", textAt(pod, ["status", "message"])].filter(Boolean).join(": ");
  return schedulingTrouble(pod);
}

/** `0/2 nodes are available: 2 Insufficient cpu. preemption: ...` is said as `cannot be scheduled: 2 Insufficient cpu`. */
function schedulingTrouble(pod: unknown): string | undefined {
  const condition = conditionOf(pod, "PodScheduled");
  if (condition?.["status"] !== "False") return undefined;
  const message = textAt(condition, ["message"]) ?? textAt(condition, ["reason"]) ?? "";
  const [, why = message] = /nodes are available: (.*?)\.(?:\s|$)/.exec(message) ?? [];
  return `cannot be scheduled: ${why}`;
}

/** Waiting for these is a matter of seconds. */
const ordinary = new Set(["ContainerCreating", "PodInitializing"]);

function containerTrouble(status: JsonObject): string | undefined {
  const waiting = valueAt(status, ["state", "waiting"]);
  const reason = textAt(waiting, ["reason"]);
  if (reason !== undefined && !ordinary.has(reason)) return waitingTrouble(reason, waiting, status);
  const end = endOf(valueAt(status, ["state", "terminated"]));
  if (end !== undefined) return `container ${textAt(status, ["name"]) ?? ""} ended: ${end}`;
  const restarts = Number(status["restartCount"] ?? 0);
  const last = endOf(valueAt(status, ["lastState", "terminated"]));
  if (restarts > 0 && last !== undefined && status["ready"] !== true) return `${last}, ${countRestarts(restarts)}`;
  return undefined;
}

function waitingTrouble(reason: string, waiting: unknown, status: JsonObject): string {
  if (/Image|^ErrImage/.test(reason)) return `${reason}: ${textAt(status, ["image"]) ?? ""}`;
  if (reason === "CrashLoopBackOff") {
    const last = endOf(valueAt(status, ["lastState", "terminated"]));
    const restarts = countRestarts(Number(status["restartCount"] ?? 0));
    return [`${reason}: ${last ?? "ended"}`, restarts].join(", ");
  }
  const message = textAt(waiting, ["message"]);
  return message === undefined ? reason : `${reason}: ${message}`;
}

/** Like `OOMKilled (exit code 137)`; nothing if it ended well. */
function endOf(terminated: unknown): string | undefined {
  const code = valueAt(terminated, ["exitCode"]);
  if (typeof code !== "number" || code === 0) return undefined;
  const reason = textAt(terminated, ["reason"]);
  return reason === undefined || reason === "Error" ? `exit code ${code}` : `${reason} (exit code ${code})`;
}

function countRestarts(count: number): string {
  return count === 1 ? "1 restart" : `${count} restarts`;
}

/** Init containers first: the others wait for them. */
function containersOf(pod: unknown): JsonObject[] {
  return ["initContainerStatuses", "containerStatuses"].flatMap((list) => {
    const statuses = valueAt(pod, ["status", list]);
    return Array.isArray(statuses) ? statuses.filter((each) => isJsonObject(each)) : [];
  });
}

function isTrueCondition(object: unknown, type: string): boolean {
  return conditionOf(object, type)?.["status"] === "True";
}

function conditionOf(object: unknown, type: string): JsonObject | undefined {
  const conditions = valueAt(object, ["status", "conditions"]);
  if (!Array.isArray(conditions)) return undefined;
  return conditions.filter((each) => isJsonObject(each)).find((each) => each["type"] === type);
}

function textAt(object: unknown, path: readonly string[]): string | undefined {
  const value = valueAt(object, path);
  return typeof value === "string" && value !== "" ? value : undefined;
}
