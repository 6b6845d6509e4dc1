import { isRecord } from "#base";
import { formatGoDuration, parseGoDuration } from "#golang";
import type { Mitigations } from "../kinds/mitigations.ts";
import type { ReleaseAttempt } from "../kinds/release.ts";
import { parseTimeouts, type RunTimeouts } from "../scenarios/run-timeouts.ts";
import type { AttemptFailure } from "./attempt-failure.ts";
import type { RetryInfo } from "./judge-retries.ts";
import type { PhasePipeline } from "./phase-pipeline.ts";
import { formatBytes, mostBytes, parseBytes } from "./memory-amount.ts";

type Mitigation = NonNullable<ReleaseAttempt["mitigation"]>;

/** What the next attempt gets more of; undefined if there is no other attempt. */
export function decideRetry(
  attempts: readonly ReleaseAttempt[],
  failure: AttemptFailure,
  { enabled, maxRetries = 0, mitigations = {} }: RetryInfo,
  timeouts: RunTimeouts,
): Mitigation | undefined {
  if (!enabled || failure.reason === "Error" || attempts.length > maxRetries) return undefined;
  if (failure.reason === "OOMKill") return moreMemory(attempts, failure, mitigations.oomKill);
  if (failure.reason === "TaskRunTimeout") return moreTime(attempts, failure, mitigations, timeouts);
  const { increment, maxTimeout } = mitigations.timeout?.pipeline ?? {};
  const pipeline = timeouts.pipeline;
  if (pipeline === undefined || increment === undefined) return {};
  return { pipelinesTimeout: formatGoDuration(lengthen(pipeline, increment, maxTimeout)) };
}

function moreMemory(
  attempts: readonly ReleaseAttempt[],
  failure: AttemptFailure,
  mitigation: Mitigations["oomKill"],
): Mitigation {
  const factor = Number(mitigation?.multiplier ?? "1") || 1; // one that is not valid gives nothing more
  const most = mitigation?.maxComputeResources;
  const before = lastMitigation(attempts, failure);
  const grow = (amount: string | undefined, cap: string | number | undefined): number | undefined => {
    const bytes = amount === undefined ? undefined : parseBytes(amount);
    if (bytes === undefined) return undefined;
    const limit = cap === undefined ? mostBytes : (parseBytes(String(cap)) ?? 0);
    return Math.max(bytes, Math.min(Math.ceil(bytes * factor), limit));
  };
  const limit = grow(before?.memoryLimit ?? failure.memoryLimit, most?.limits?.["memory"]);
  const request = grow(before?.memoryRequest ?? failure.memoryRequest, most?.requests?.["memory"]);
  return {
    ...(limit === undefined ? {} : { memoryLimit: formatBytes(limit) }),
    // Kubernetes refuses a container that requests more than its limit.
    ...(request === undefined ? {} : { memoryRequest: formatBytes(Math.min(request, limit ?? request)) }),
  };
}

/** A task that gets more time takes it from the others, unless the whole run gets more too. */
function moreTime(
  attempts: readonly ReleaseAttempt[],
  failure: AttemptFailure,
  mitigations: Mitigations,
  timeouts: RunTimeouts,
): Mitigation {
  const { increment, maxTimeout } = mitigations.timeout?.task ?? {};
  const given = lastMitigation(attempts, failure)?.taskTimeout ?? failure.taskTimeout;
  if (given === undefined || increment === undefined) return {};
  const before = durationOf(given);
  const longer = lengthen(before, increment, maxTimeout);
  const more = longer - before;
  // With 0, Tekton has no limit.
  const stretched = (timeout = 0n): string | undefined =>
    timeout === 0n ? undefined : formatGoDuration(timeout + more);
  const [tasks, pipeline] = [stretched(timeouts.tasks), stretched(timeouts.pipeline)];
  return {
    taskTimeout: formatGoDuration(longer),
    ...(tasks === undefined ? {} : { tasksTimeout: tasks }),
    ...(pipeline === undefined ? {} : { pipelinesTimeout: pipeline }),
  };
}

/** What the same step got more of before. */
function lastMitigation(
  attempts: readonly ReleaseAttempt[],
  { lastTask, lastStep }: AttemptFailure,
): Mitigation | undefined {
  return attempts.findLast((attempt, index) => {
    const cause = attempts[index - 1];
    return attempt.mitigation && cause?.lastTask === lastTask && cause?.lastStep === lastStep;
  })?.mitigation;
}

/** The pipeline and the timeouts of an attempt, with everything that it got more of since the first one. */
export function applyMitigations(
  pipeline: PhasePipeline,
  timeouts: RunTimeouts,
  attempts: readonly ReleaseAttempt[],
): { readonly pipeline: PhasePipeline; readonly timeouts: RunTimeouts } {
  const given = attempts.flatMap(({ mitigation }, index) => {
    const { lastTask: task, lastStep: step } = attempts[index - 1] ?? {};
    return mitigation ? [{ mitigation, task, step }] : [];
  });
  const last = (field: "pipelinesTimeout" | "tasksTimeout"): string | undefined =>
    given.findLast(({ mitigation }) => mitigation[field] !== undefined)?.mitigation[field];
  const longer = parseTimeouts({ pipeline: last("pipelinesTimeout"), tasks: last("tasksTimeout") }).timeouts;
  let specs = pipeline.taskRunSpecs;
  for (const { mitigation, task, step } of given) {
    if (task !== undefined) specs = withMitigation(specs, task, step, mitigation);
  }
  return { pipeline: { ...pipeline, taskRunSpecs: specs }, timeouts: { ...timeouts, ...longer } };
}

function withMitigation(
  specs: PhasePipeline["taskRunSpecs"],
  task: string,
  step: string | undefined,
  { memoryLimit, memoryRequest, taskTimeout }: Mitigation,
): PhasePipeline["taskRunSpecs"] {
  const spec = specs.find(({ pipelineTaskName }) => pipelineTaskName === task) ?? { pipelineTaskName: task };
  const steps = Array.isArray(spec["stepSpecs"]) ? spec["stepSpecs"].filter(isRecord) : [];
  const before = steps.find(({ name }) => name === step);
  const resources = isRecord(before?.["computeResources"]) ? before["computeResources"] : {};
  const part = (name: "limits" | "requests", memory: string | undefined): object =>
    memory === undefined ? {} : { [name]: { ...(isRecord(resources[name]) ? resources[name] : {}), memory } };
  const computeResources = { ...resources, ...part("limits", memoryLimit), ...part("requests", memoryRequest) };
  const hasMemory = step !== undefined && (memoryLimit !== undefined || memoryRequest !== undefined);
  const changed = {
    ...spec,
    ...(taskTimeout === undefined ? {} : { timeout: taskTimeout }),
    ...(hasMemory
      ? { stepSpecs: [...steps.filter((each) => each !== before), { ...before, name: step, computeResources }] }
      : {}),
  };
  return [...specs.filter((each) => each !== spec), changed];
}

/** A timeout never gets shorter, whatever the policy says. */
function lengthen(before: bigint, increment: string, most: string | undefined): bigint {
  const longer = before + durationOf(increment);
  const limit = most === undefined ? longer : durationOf(most);
  const capped = longer < limit ? longer : limit;
  return capped > before ? capped : before;
}

function durationOf(text: string): bigint {
  try {
    return parseGoDuration(text);
  } catch {
    return 0n; // a policy that is not valid gives nothing more
  }
}
