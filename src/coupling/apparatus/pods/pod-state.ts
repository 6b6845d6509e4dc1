import { isRecord, valueAt } from "#base";
import type { KubeObject } from "#kube";
import { annotations } from "../../kinds/index.ts";
import { valueText } from "../../sources/resolved.ts";
import { redactRemoteText } from "../transport/redact-remote-text.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The next step towards a ready pod. */
type PodStep =
  | "create"
  /** It has ended, or was created from another spec. */
  | "replace"
  /** It is being deleted. */
  | "wait for its end"
  | "ask whether it is ready";

export function nextStep(pod: KubeObject | undefined, specHash: string): PodStep {
  if (!pod) return "create";
  if (pod.metadata.deletionTimestamp !== undefined) return "wait for its end";
  const phase = valueAt(pod, ["status", "phase"]);
  const isOther = pod.metadata.annotations?.[annotations.apparatusSpec] !== specHash;
  return phase === "Failed" || phase === "Succeeded" || isOther ? "replace" : "ask whether it is ready";
}

/** Waiting reasons that pass by themselves. */
const passing = new Set(["ContainerCreating", "PodInitializing"]);

/** Why a pod will not be ready soon, as Kubernetes reports it; undefined while nothing is wrong. */
export function podProblem(pod: KubeObject): string | undefined {
  for (const status of statusesOf(pod)) {
    const name = valueText(status["name"]) ?? "";
    const waiting = valueAt(status, ["state", "waiting"]);
    const last = valueAt(status, ["lastState", "terminated"]);
    const ended = valueAt(status, ["state", "terminated"]);
    if (isRecord(waiting) && typeof waiting["reason"] === "string" && !passing.has(waiting["reason"])) {
      return `container ${name}: ${waiting["reason"]}${isRecord(last) ? `, ${endOf(last)}` : wordsOf(waiting)}`;
    }
    if (isRecord(ended) && ended["exitCode"] !== 0) return `container ${name}: ${endOf(ended)}`;
  }
  const conditions = valueAt(pod, ["status", "conditions"]);
  const scheduled = recordsOf(conditions).find(({ type }) => type === "PodScheduled");
  if (scheduled?.["status"] === "False") {
    return `${valueText(scheduled["reason"]) ?? "not scheduled"}${wordsOf(scheduled)}`;
  }
  const { status } = pod;
  if (!isRecord(status) || status["phase"] !== "Failed") return undefined;
  return `${valueText(status["reason"]) ?? "Failed"}${wordsOf(status)}`;
}

/** Changes when a container restarts, after which the pod may not be ready. */
export function podRun(pod: KubeObject): string {
  return [pod.metadata.uid, ...statusesOf(pod).map(({ restartCount }) => valueText(restartCount))].join("/");
}

function statusesOf(pod: KubeObject): Fields[] {
  return ["initContainerStatuses", "containerStatuses"].flatMap((field) => recordsOf(valueAt(pod, ["status", field])));
}

function recordsOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Not masked here: Kubernetes knows none of our secrets, and the status writer masks the reader's. */
function wordsOf({ message }: Fields): string {
  return redactRemoteText(message, (text) => text);
}

function endOf(terminated: Fields): string {
  const { reason, exitCode } = terminated;
  return `ended with exit code ${valueText(exitCode)}${reason === "Error" || reason === undefined ? "" : ` (${valueText(reason)})`}`;
}
