import { isRecord } from "#base";
import type { KubeObject } from "#kube";
import type { AttemptFailure } from "../../releases/attempt-failure.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The task that made a run fail. */
export interface FailedTask {
  readonly task: string;
  readonly step: string | undefined;
  readonly pod: string | undefined;
  /** The container of the step. */
  readonly container: string | undefined;
  readonly message: string;
}

/** Conditions take 32 KiB. */
const mostTextBytes = 30_000;

/** What a failed task says of itself: the end of its log, or its message, or that of the run. */
export function describeFailedTask({ task, message }: FailedTask, log: string | undefined, runMessage: string): string {
  return `task ${task} failed: ${keepTail(log ?? (message === "" ? runMessage : message))}`;
}

/** The end of a text matters more than its start: that is where the error is. */
function keepTail(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= mostTextBytes) return text;
  let start = bytes.length - mostTextBytes;
  // Bytes 10xxxxxx continue a character of UTF-8, which must not be cut in two.
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return `[cut] ...${bytes.toString("utf8", start)}`;
}

/** Finds the first TaskRun that failed, and why the whole run did. */
export function readFailure(
  run: KubeObject,
  taskRuns: readonly KubeObject[],
): { readonly failure: AttemptFailure; readonly task: FailedTask | undefined } {
  const ended = (taskRun: KubeObject): string => textOf(fieldsOf(taskRun["status"])["completionTime"]) ?? "";
  const failed = taskRuns
    .filter((taskRun) => conditionOf(taskRun)["status"] === "False")
    .toSorted((one, other) => (ended(one) < ended(other) ? -1 : 1))[0];
  const successfulTasks = taskRuns.filter((taskRun) => conditionOf(taskRun)["status"] === "True").length;
  const step = failed && failedStep(failed);
  const name = failed && (failed.metadata.labels?.["tekton.dev/pipelineTask"] ?? failed.metadata.name);
  const failure: AttemptFailure = {
    reason: reasonOf(run, failed, step),
    ...(name === undefined ? {} : { lastTask: name }),
    ...(typeof step?.["name"] === "string" ? { lastStep: step["name"] } : {}),
    successfulTasks,
    ...(failed ? resourcesOf(failed, step) : {}),
  };
  if (!failed || name === undefined) return { failure, task: undefined };
  const { podName } = fieldsOf(failed["status"]);
  return {
    failure,
    task: {
      task: name,
      step: textOf(step?.["name"]),
      pod: textOf(podName),
      container: textOf(step?.["container"]),
      message: textOf(conditionOf(failed)["message"]) ?? "",
    },
  };
}

function reasonOf(run: KubeObject, failed: KubeObject | undefined, step: Fields | undefined): AttemptFailure["reason"] {
  if (fieldsOf(step?.["terminated"])["reason"] === "OOMKilled") return "OOMKill";
  if (conditionOf(run)["reason"] === "PipelineRunTimeout") return "PipelineRunTimeout";
  if (failed && conditionOf(failed)["reason"] === "TaskRunTimeout") return "TaskRunTimeout";
  return "Error";
}

/** The step that ran out of memory, else the first that did not end well. */
function failedStep({ status }: KubeObject): Fields | undefined {
  const steps = listOf(fieldsOf(status)["steps"]);
  const reason = (step: Fields): unknown => fieldsOf(step["terminated"])["reason"];
  return (
    steps.find((step) => reason(step) === "OOMKilled") ??
    steps.find((step) => fieldsOf(step["terminated"])["exitCode"] !== 0 && reason(step) !== "Completed")
  );
}

/** What the step had, as Tekton resolved it: settings of the run go before those of the task. */
function resourcesOf(taskRun: KubeObject, step: Fields | undefined): Partial<AttemptFailure> {
  const [spec, status] = [fieldsOf(taskRun["spec"]), fieldsOf(taskRun["status"])];
  const named = (list: unknown): Fields =>
    fieldsOf(listOf(list).find((each) => each["name"] === step?.["name"])?.["computeResources"]);
  const own = named(fieldsOf(status["taskSpec"])["steps"]);
  const given = named(spec["stepSpecs"]);
  const memory = (part: "limits" | "requests"): string | undefined =>
    textOf(fieldsOf(given[part])["memory"]) ?? textOf(fieldsOf(own[part])["memory"]);
  const [memoryLimit, memoryRequest, taskTimeout] = [memory("limits"), memory("requests"), textOf(spec["timeout"])];
  return {
    ...(memoryLimit === undefined ? {} : { memoryLimit }),
    ...(memoryRequest === undefined ? {} : { memoryRequest }),
    ...(taskTimeout === undefined ? {} : { taskTimeout }),
  };
}

function conditionOf({ status }: KubeObject): Fields {
  return listOf(fieldsOf(status)["conditions"]).find(({ type }) => type === "Succeeded") ?? {};
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
