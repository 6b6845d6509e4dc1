import { describe, expect, test } from "vitest";
import type { Mitigations } from "../kinds/mitigations.ts";
import type { ReleaseAttempt } from "../kinds/release.ts";
import { formatTimeouts, type RunTimeouts } from "../scenarios/run-timeouts.ts";
import type { AttemptFailure } from "./attempt-failure.ts";
import { applyMitigations, decideRetry } from "./decide-retry.ts";
import type { RetryInfo } from "./judge-retries.ts";
import { type PhasePipeline, readPipeline } from "./phase-pipeline.ts";

const m = (minutes: number): bigint => BigInt(minutes) * 60_000_000_000n;

const outOfMemory: AttemptFailure = { reason: "OOMKill", lastTask: "push", lastStep: "run", successfulTasks: 1 };
const tookLong: AttemptFailure = { ...outOfMemory, reason: "TaskRunTimeout" };
const ranLong: AttemptFailure = { reason: "PipelineRunTimeout", successfulTasks: 1 };

function failedAttempt({ reason, lastTask, lastStep }: AttemptFailure): ReleaseAttempt {
  return {
    status: "Failed",
    failureReason: reason,
    ...(lastTask === undefined ? {} : { lastTask }),
    ...(lastStep === undefined ? {} : { lastStep }),
  };
}

function retries(mitigations: Mitigations, maxRetries: number): RetryInfo {
  return { enabled: true, maxRetries, mitigations };
}

function oomKill(multiplier?: string): RetryInfo {
  return retries({ oomKill: multiplier === undefined ? {} : { multiplier } }, 2);
}

/** Twice the memory each time, up to these. */
function doubled(maxRetries: number, limit?: string | number, request?: string | number): RetryInfo {
  const maxComputeResources = {
    ...(limit === undefined ? {} : { limits: { memory: limit } }),
    ...(request === undefined ? {} : { requests: { memory: request } }),
  };
  return retries({ oomKill: { multiplier: "2", maxComputeResources } }, maxRetries);
}

function longer(increment?: string, maxTimeout?: string) {
  return { ...(increment === undefined ? {} : { increment }), ...(maxTimeout === undefined ? {} : { maxTimeout }) };
}

const forTask = (...given: Parameters<typeof longer>) => retries({ timeout: { task: longer(...given) } }, 2);
const forRun = (...given: Parameters<typeof longer>) => retries({ timeout: { pipeline: longer(...given) } }, 2);

function pipelineWith(taskRunSpecs: readonly object[] = []): PhasePipeline {
  const pipeline = readPipeline({ pipelineRef: { resolver: "git", params: [] }, taskRunSpecs });
  if (!pipeline) throw new Error("expected a pipeline");
  return pipeline;
}

/** Fails again and again in the same way, each time with what the attempt before got; gives what each attempt got. */
function repeat(failure: AttemptFailure, info: RetryInfo, given: RunTimeouts = {}, most = 20) {
  const attempts: ReleaseAttempt[] = [failedAttempt(failure)];
  while (attempts.length <= most) {
    const { timeouts } = applyMitigations(pipelineWith(), given, attempts);
    const mitigation = decideRetry(attempts, failure, info, timeouts);
    if (!mitigation) break;
    attempts.push({ ...failedAttempt(failure), mitigation });
  }
  return attempts.slice(1).map(({ mitigation }) => mitigation);
}

describe("P37: whether there is another attempt", () => {
  const everything = retries({}, 2);
  test.for([
    { reason: "a lack of memory", failure: outOfMemory, info: everything, count: 2 },
    { reason: "a task that took too long", failure: tookLong, info: everything, count: 2 },
    { reason: "a run that took too long", failure: ranLong, info: everything, count: 2 },
    {
      reason: "an ordinary error is never repeated",
      failure: { ...outOfMemory, reason: "Error" },
      info: everything,
      count: 0,
    },
    { reason: "one is allowed", failure: outOfMemory, info: retries({}, 1), count: 1 },
    { reason: "none is allowed", failure: outOfMemory, info: retries({}, 0), count: 0 },
    { reason: "no limit is known", failure: outOfMemory, info: { enabled: true }, count: 0 },
    {
      reason: "it is not enabled",
      failure: outOfMemory,
      info: { enabled: false, maxRetries: 2, reason: "no policy" },
      count: 0,
    },
  ] as const)("$reason: $count", ({ failure, info, count }) => {
    expect(repeat(failure, info)).toHaveLength(count);
  });
});

describe("P37: each attempt after a lack of memory gets more of it, up to the most", () => {
  const step = { ...outOfMemory, memoryLimit: "1Gi", memoryRequest: "512Mi" };

  test.for([
    {
      reason: "limit and request are capped by their own",
      failure: step,
      info: doubled(3, "3Gi", "1Gi"),
      limits: ["2Gi", "3Gi", "3Gi"],
      requests: ["1Gi", "1Gi", "1Gi"],
    },
    {
      reason: "a request never grows beyond the limit, or the pod would be refused",
      failure: { ...step, memoryRequest: "1Gi" },
      info: doubled(3, "3Gi"),
      limits: ["2Gi", "3Gi", "3Gi"],
      requests: ["2Gi", "3Gi", "3Gi"],
    },
    {
      reason: "a cap below what the step had takes nothing away",
      failure: step,
      info: doubled(1, "512Mi", "256Mi"),
      limits: ["1Gi"],
      requests: ["512Mi"],
    },
    {
      reason: "a cap may be a number of bytes",
      failure: step,
      info: doubled(2, 3 * 1024 ** 3),
      limits: ["2Gi", "3Gi"],
      requests: ["1Gi", "2Gi"],
    },
    {
      reason: "a cap may have an exponent",
      failure: step,
      info: doubled(1, "1500e6"),
      limits: ["1500000000"],
      requests: ["1Gi"],
    },
    {
      reason: "a cap that is not valid gives nothing more",
      failure: step,
      info: doubled(1, "much", "much"),
      limits: ["1Gi"],
      requests: ["512Mi"],
    },
    {
      reason: "a fraction, rounded up to whole bytes",
      failure: { ...outOfMemory, memoryLimit: "3" },
      info: oomKill("1.5"),
      limits: ["5", "8"],
      requests: [undefined, undefined],
    },
    {
      reason: "only the limit is known",
      failure: { ...outOfMemory, memoryLimit: "1Gi" },
      info: oomKill("2"),
      limits: ["2Gi", "4Gi"],
      requests: [undefined, undefined],
    },
    {
      reason: "nothing is known",
      failure: outOfMemory,
      info: oomKill("2"),
      limits: [undefined, undefined],
      requests: [undefined, undefined],
    },
    {
      reason: "without a multiplier, as much again",
      failure: step,
      info: oomKill(),
      limits: ["1Gi", "1Gi"],
      requests: ["512Mi", "512Mi"],
    },
    {
      reason: "a multiplier below 1 takes nothing away",
      failure: step,
      info: oomKill("0.5"),
      limits: ["1Gi", "1Gi"],
      requests: ["512Mi", "512Mi"],
    },
    {
      reason: "a multiplier that is not a number gives nothing more",
      failure: step,
      info: oomKill("twice"),
      limits: ["1Gi", "1Gi"],
      requests: ["512Mi", "512Mi"],
    },
    {
      reason: "a huge multiplier gives an amount that Kubernetes can still read",
      failure: step,
      info: oomKill("9".repeat(32)),
      limits: ["9007199254740991Ki", "9007199254740991Ki"],
      requests: ["9007199254740991Ki", "9007199254740991Ki"],
    },
    {
      reason: "an amount that is none is left alone",
      failure: { ...step, memoryLimit: "lots" },
      info: oomKill("2"),
      limits: [undefined, undefined],
      requests: ["1Gi", "2Gi"],
    },
  ])("$reason", ({ failure, info, limits, requests }) => {
    const mitigations = repeat(failure, info);
    expect(mitigations.map((mitigation) => mitigation?.memoryLimit)).toEqual(limits);
    expect(mitigations.map((mitigation) => mitigation?.memoryRequest)).toEqual(requests);
  });

  test("another step starts from what it had itself", () => {
    const attempts = [
      failedAttempt(step),
      { ...failedAttempt({ ...step, lastStep: "sign" }), mitigation: { memoryLimit: "2Gi" } },
    ];
    const failure = { ...step, lastStep: "sign", memoryLimit: "128Mi", memoryRequest: "64Mi" };
    expect(decideRetry(attempts, failure, oomKill("2"), {})).toEqual({ memoryLimit: "256Mi", memoryRequest: "128Mi" });
  });
});

describe("P37: each attempt after a timeout gets more time, up to the most", () => {
  const task = { ...tookLong, taskTimeout: "20m" };
  const run: RunTimeouts = { pipeline: m(60), tasks: m(50), finally: m(10) };

  test.for([
    {
      reason: "what the task gets, all tasks and the whole run get too",
      failure: task,
      info: forTask("30m"),
      given: run,
      expected: [
        { taskTimeout: "50m0s", tasksTimeout: "1h20m0s", pipelinesTimeout: "1h30m0s" },
        { taskTimeout: "1h20m0s", tasksTimeout: "1h50m0s", pipelinesTimeout: "2h0m0s" },
      ],
    },
    {
      reason: "the others get as much as the cap leaves to the task",
      failure: task,
      info: forTask("30m", "1h"),
      given: run,
      expected: [
        { taskTimeout: "50m0s", tasksTimeout: "1h20m0s", pipelinesTimeout: "1h30m0s" },
        { taskTimeout: "1h0m0s", tasksTimeout: "1h30m0s", pipelinesTimeout: "1h40m0s" },
      ],
    },
    {
      reason: "a cap below what the task had takes nothing away",
      failure: task,
      info: forTask("30m", "10m"),
      given: run,
      expected: [
        { taskTimeout: "20m0s", tasksTimeout: "50m0s", pipelinesTimeout: "1h0m0s" },
        { taskTimeout: "20m0s", tasksTimeout: "50m0s", pipelinesTimeout: "1h0m0s" },
      ],
    },
    {
      reason: "a run without timeouts gets none",
      failure: task,
      info: forTask("30m"),
      given: {},
      expected: [{ taskTimeout: "50m0s" }, { taskTimeout: "1h20m0s" }],
    },
    {
      reason: "0 means without limit, and stays so",
      failure: task,
      info: forTask("30m"),
      given: { pipeline: 0n, tasks: 0n },
      expected: [{ taskTimeout: "50m0s" }, { taskTimeout: "1h20m0s" }],
    },
    { reason: "a task without a timeout", failure: tookLong, info: forTask("30m"), given: run, expected: [{}, {}] },
    { reason: "a task without an increment", failure: task, info: forTask(), given: run, expected: [{}, {}] },
    {
      reason: "an increment that is not valid gives nothing more",
      failure: task,
      info: forTask("soon"),
      given: {},
      expected: [{ taskTimeout: "20m0s" }, { taskTimeout: "20m0s" }],
    },
    {
      reason: "an increment below zero takes nothing away",
      failure: task,
      info: forTask("-15m"),
      given: {},
      expected: [{ taskTimeout: "20m0s" }, { taskTimeout: "20m0s" }],
    },
    {
      reason: "the whole run",
      failure: ranLong,
      info: forRun("30m"),
      given: run,
      expected: [{ pipelinesTimeout: "1h30m0s" }, { pipelinesTimeout: "2h0m0s" }],
    },
    {
      reason: "the whole run, up to the most",
      failure: ranLong,
      info: forRun("30m", "100m"),
      given: run,
      expected: [{ pipelinesTimeout: "1h30m0s" }, { pipelinesTimeout: "1h40m0s" }],
    },
    {
      reason: "a cap below what the run had takes nothing away",
      failure: ranLong,
      info: forRun("30m", "45m"),
      given: run,
      expected: [{ pipelinesTimeout: "1h0m0s" }, { pipelinesTimeout: "1h0m0s" }],
    },
    {
      reason: "a cap that is not valid gives nothing more",
      failure: ranLong,
      info: forRun("30m", "long"),
      given: run,
      expected: [{ pipelinesTimeout: "1h0m0s" }, { pipelinesTimeout: "1h0m0s" }],
    },
    { reason: "a run without an increment", failure: ranLong, info: forRun(), given: run, expected: [{}, {}] },
    { reason: "a run without a timeout", failure: ranLong, info: forRun("30m"), given: {}, expected: [{}, {}] },
  ])("$reason", ({ failure, info, given, expected }) => {
    expect(repeat(failure, info, given)).toEqual(expected);
  });
});

describe("P37: an attempt keeps everything that was given since the first one", () => {
  const attempts: readonly ReleaseAttempt[] = [
    { lastTask: "push", lastStep: "run" },
    { lastTask: "sign", lastStep: "sign", mitigation: { memoryLimit: "2Gi", memoryRequest: "1Gi" } },
    {
      lastTask: "push",
      lastStep: "copy",
      mitigation: { taskTimeout: "50m0s", tasksTimeout: "1h20m0s", pipelinesTimeout: "1h30m0s" },
    },
    { lastTask: "push", lastStep: "run", mitigation: { memoryLimit: "256Mi" } },
    { mitigation: { memoryLimit: "3Gi" } },
    { mitigation: { pipelinesTimeout: "2h0m0s" } },
  ];

  test("memory by step, time by task, the newest of each, and the timeouts of the run", () => {
    const { pipeline, timeouts } = applyMitigations(pipelineWith(), { tasks: m(50), finally: m(10) }, attempts);
    expect(pipeline.taskRunSpecs).toEqual([
      { pipelineTaskName: "sign", timeout: "50m0s" },
      {
        pipelineTaskName: "push",
        stepSpecs: [
          { name: "copy", computeResources: { limits: { memory: "256Mi" } } },
          { name: "run", computeResources: { limits: { memory: "3Gi" }, requests: { memory: "1Gi" } } },
        ],
      },
    ]);
    expect(formatTimeouts(timeouts)).toEqual({ pipeline: "2h0m0s", tasks: "1h20m0s", finally: "10m0s" });
  });

  test("what the admission says of the task and of others stays", () => {
    const own = [
      { pipelineTaskName: "other", timeout: "5m" },
      {
        pipelineTaskName: "push",
        serviceAccountName: "pusher",
        stepSpecs: [
          { name: "init", computeResources: {} },
          { name: "run", computeResources: { limits: { cpu: "1", memory: "1Gi" }, claims: [{ name: "gpu" }] } },
        ],
      },
    ];
    const { pipeline } = applyMitigations(pipelineWith(own), {}, attempts.slice(0, 2));
    expect(pipeline.taskRunSpecs).toEqual([
      own[0],
      {
        pipelineTaskName: "push",
        serviceAccountName: "pusher",
        stepSpecs: [
          { name: "init", computeResources: {} },
          {
            name: "run",
            computeResources: {
              limits: { cpu: "1", memory: "2Gi" },
              requests: { memory: "1Gi" },
              claims: [{ name: "gpu" }],
            },
          },
        ],
      },
    ]);
  });

  test("the first attempt is as the admission says", () => {
    const pipeline = pipelineWith([{ pipelineTaskName: "push", timeout: "5m" }]);
    const timeouts = { pipeline: m(60) };
    expect(applyMitigations(pipeline, timeouts, attempts.slice(0, 1))).toEqual({ pipeline, timeouts });
    expect(applyMitigations(pipeline, timeouts, [])).toEqual({ pipeline, timeouts });
  });
});
