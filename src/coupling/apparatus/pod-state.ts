import { isRecord, valueAt } from "#base";
import type { KubeObject } from "#kube";
import { annotations } from "../kinds/names.ts";
import { valueText } from "../sources/resolved.ts";
import { redactRemoteText } from "./judge-answer.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What is to be done about the pod of an apparatus that is wanted. */
type PodStep =
  | "create"
  /** It has ended, or was made from another spec. */
  | "replace"
  /** It is on its way out. */
  | "wait for its end"
  | "ask whether it is ready";

export function nextStep(pod: KubeObject | undefined, specHash: string): PodStep {
  if (!pod) return "create";
  if (pod.metadata.deletionTimestamp !== undefined) return "wait for its end";
  const phase = valueAt(pod, ["status", "phase"]);
  const isOther = pod.metadata.annotations?.[annotations.apparatusSpec] !== specHash;
  return phase === "Failed" || phase === "Succeeded" || isOther ? "replace" : "ask whether it is ready";
}

/** Of waiting containers, those that will start by themselves. */
const passing = new Set(["ContainerCreating", "PodInitializing"]);

/** Why a pod will not be ready soon, in the words of Kubernetes; undefined while nothing is wrong. */
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

/** Changes when a container was started anew: who was ready before need not be any more. */
export function podRun(pod: KubeObject): string {
  return [pod.metadata.uid, ...statusesOf(pod).map(({ restartCount }) => valueText(restartCount))].join("/");
}

function statusesOf(pod: KubeObject): Fields[] {
  return ["initContainerStatuses", "containerStatuses"].flatMap((field) => recordsOf(valueAt(pod, ["status", field])));
}

function recordsOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Kubernetes was told no secret of ours; whoever says it in a status masks what its readers must not see. */
function wordsOf({ message }: Fields): string {
  return redactRemoteText(message, (text) => text);
}

function endOf(terminated: Fields): string {
  const { reason, exitCode } = terminated;
  return `ended with exit code ${valueText(exitCode)}${reason === "Error" || reason === undefined ? "" : ` (${valueText(reason)})`}`;
}
