import { describe, expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { describeFailedTask, type FailedTask, readFailure } from "./failed-task.ts";
import { pipelineRunKind, taskRunKind } from "./test-pipeline-run.ts";

function runWith(reason: string): KubeObject {
  const conditions = [{ type: "Succeeded", status: "False", reason }];
  return { ...pipelineRunKind, metadata: { name: "managed-1" }, status: { conditions } };
}

interface TaskGiven {
  readonly status?: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly ended?: string;
  readonly steps?: readonly object[];
  readonly spec?: object;
  readonly taskSpec?: object;
}

function taskRun(task: string, given: TaskGiven = {}): KubeObject {
  const {
    status = "False",
    reason = "Failed",
    ended = "2026-01-02T03:00:00Z",
    steps = [],
    spec = {},
    taskSpec,
  } = given;
  return {
    ...taskRunKind,
    metadata: { name: `managed-1-${task}`, labels: { "tekton.dev/pipelineTask": task } },
    spec,
    status: {
      conditions: [{ type: "Succeeded", status, reason, message: `${task} said so` }],
      podName: `managed-1-${task}-pod`,
      completionTime: ended,
      steps,
      ...(taskSpec ? { taskSpec } : {}),
    },
  };
}

const memory = (limit: string, request?: string) => ({
  limits: { memory: limit },
  ...(request === undefined ? {} : { requests: { memory: request } }),
});
const stepWith = (name: string, terminated?: object) => ({
  name,
  container: `step-${name}`,
  ...(terminated ? { terminated } : {}),
});
const completed = stepWith("init", { exitCode: 0, reason: "Completed" });
const killed = stepWith("run", { exitCode: 137, reason: "OOMKilled" });
const failing = stepWith("run", { exitCode: 1, reason: "Error" });
const stopped = stepWith("run", { exitCode: 1, reason: "TaskRunTimeout" });

describe("P37: why a run failed", () => {
  test.for([
    {
      reason: "a step ran out of memory",
      run: runWith("Failed"),
      tasks: [taskRun("push", { steps: [completed, killed] })],
      expected: { reason: "OOMKill", lastTask: "push", lastStep: "run", successfulTasks: 0 },
    },
    {
      reason: "the step that ran out of memory counts, though an earlier one failed first",
      run: runWith("Failed"),
      tasks: [taskRun("push", { steps: [stepWith("init", { exitCode: 2, reason: "Error" }), killed] })],
      expected: { reason: "OOMKill", lastTask: "push", lastStep: "run", successfulTasks: 0 },
    },
    {
      reason: "a step ran out of memory while the run ended for its time",
      run: runWith("PipelineRunTimeout"),
      tasks: [taskRun("push", { steps: [killed] })],
      expected: { reason: "OOMKill", lastTask: "push", lastStep: "run", successfulTasks: 0 },
    },
    {
      reason: "a task took too long",
      run: runWith("Failed"),
      tasks: [taskRun("push", { reason: "TaskRunTimeout", steps: [completed, stopped] })],
      expected: { reason: "TaskRunTimeout", lastTask: "push", lastStep: "run", successfulTasks: 0 },
    },
    {
      reason: "the run took too long, and Tekton cancelled its tasks",
      run: runWith("PipelineRunTimeout"),
      tasks: [taskRun("push", { reason: "TaskRunCancelled", steps: [stepWith("run", { exitCode: 1 })] })],
      expected: { reason: "PipelineRunTimeout", lastTask: "push", lastStep: "run", successfulTasks: 0 },
    },
    {
      reason: "the run took too long before a task started",
      run: runWith("PipelineRunTimeout"),
      tasks: [],
      expected: { reason: "PipelineRunTimeout", successfulTasks: 0 },
    },
    {
      reason: "a step failed otherwise",
      run: runWith("Failed"),
      tasks: [taskRun("init", { status: "True" }), taskRun("push", { steps: [completed, failing] })],
      expected: { reason: "Error", lastTask: "push", lastStep: "run", successfulTasks: 1 },
    },
    {
      reason: "a task could not start",
      run: runWith("Failed"),
      tasks: [taskRun("push", { reason: "TaskRunImagePullFailed" })],
      expected: { reason: "Error", lastTask: "push", successfulTasks: 0 },
    },
    {
      reason: "the pipeline could not be found",
      run: runWith("CouldntGetPipeline"),
      tasks: [],
      expected: { reason: "Error", successfulTasks: 0 },
    },
    {
      reason: "tasks that run or succeeded are not to blame, even if one of their steps was killed",
      run: runWith("Failed"),
      tasks: [
        taskRun("scan", { status: "True", steps: [killed] }),
        taskRun("wait", { status: "Unknown", steps: [stepWith("run")] }),
        taskRun("push", { steps: [failing] }),
      ],
      expected: { reason: "Error", lastTask: "push", lastStep: "run", successfulTasks: 1 },
    },
  ])("$reason", ({ run, tasks, expected }) => {
    expect(readFailure(run, tasks).failure).toEqual(expected);
  });

  test("of several tasks that failed, the first counts, in whatever order they are listed", () => {
    const tasks = [
      taskRun("third", { ended: "2026-01-02T03:00:03Z" }),
      taskRun("first", { ended: "2026-01-02T03:00:01Z", steps: [failing] }),
      taskRun("second", { ended: "2026-01-02T03:00:02Z", steps: [killed] }),
    ];
    for (const listed of [tasks, tasks.toReversed()]) {
      expect(readFailure(runWith("Failed"), listed).failure).toMatchObject({ reason: "Error", lastTask: "first" });
    }
  });

  test("a task that no label names has the name of its run", () => {
    const { metadata: _, ...rest } = taskRun("push");
    const { failure, task } = readFailure(runWith("Failed"), [{ ...rest, metadata: { name: "managed-1-push" } }]);
    expect([failure.lastTask, task?.task]).toEqual(["managed-1-push", "managed-1-push"]);
  });
});

describe("P37: what the step had that failed", () => {
  const own = { steps: [{ name: "run", computeResources: memory("1Gi", "512Mi") }] };
  test.for([
    { reason: "as the task says", spec: {}, taskSpec: own, expected: { memoryLimit: "1Gi", memoryRequest: "512Mi" } },
    {
      reason: "as the run says, before the task",
      spec: { timeout: "20m0s", stepSpecs: [{ name: "run", computeResources: memory("2Gi", "1Gi") }] },
      taskSpec: own,
      expected: { memoryLimit: "2Gi", memoryRequest: "1Gi", taskTimeout: "20m0s" },
    },
    {
      reason: "each amount from where it is",
      spec: { stepSpecs: [{ name: "run", computeResources: memory("2Gi") }] },
      taskSpec: own,
      expected: { memoryLimit: "2Gi", memoryRequest: "512Mi" },
    },
    {
      reason: "nothing of other steps",
      spec: { stepSpecs: [{ name: "init", computeResources: memory("2Gi", "1Gi") }] },
      taskSpec: { steps: [{ name: "init", computeResources: memory("3Gi") }] },
      expected: {},
    },
    { reason: "nothing, if nothing is said", spec: {}, taskSpec: { steps: "none" }, expected: {} },
  ])("$reason", ({ spec, taskSpec, expected }) => {
    const { failure } = readFailure(runWith("Failed"), [taskRun("push", { steps: [killed], spec, taskSpec })]);
    const { memoryLimit, memoryRequest, taskTimeout } = failure;
    expect({ memoryLimit, memoryRequest, taskTimeout }).toEqual(expected);
  });
});

describe("P36: what is said of a failed task", () => {
  const task: FailedTask = { task: "push", step: "run", pod: "p", container: "step-run", message: "exited with 1" };

  test("its log is in the container of the step that failed", () => {
    const { task: found } = readFailure(runWith("Failed"), [taskRun("push", { steps: [completed, failing] })]);
    expect(found).toEqual({
      task: "push",
      step: "run",
      pod: "managed-1-push-pod",
      container: "step-run",
      message: "push said so",
    });
  });

  test("there is no task if none failed", () => {
    expect(readFailure(runWith("Failed"), [taskRun("init", { status: "True" })]).task).toBeUndefined();
  });

  test.for([
    { reason: "the log", given: task, log: "denied", message: "task push failed: denied" },
    { reason: "its message, without a log", given: task, log: undefined, message: "task push failed: exited with 1" },
    {
      reason: "the message of the run, if it has none",
      given: { ...task, message: "" },
      log: undefined,
      message: "task push failed: the run failed",
    },
  ])("it names the task, then $reason", ({ given, log, message }) => {
    expect(describeFailedTask(given, log, "the run failed")).toBe(message);
  });

  const most = 32 * 1024;
  test.for([
    { reason: "a log", given: task, text: "x".repeat(most * 8), isLog: true },
    { reason: "a log of wide characters", given: task, text: "ä€😀".repeat(most), isLog: true },
    { reason: "the message of the task", given: { ...task, message: `${"x".repeat(most)}the end` }, isLog: false },
  ])(
    "of $reason that is too long for a condition, the end is kept, and no character is cut",
    ({ given, text, isLog }) => {
      const message = describeFailedTask(given, isLog ? `${text}the end` : undefined, "");
      expect(Buffer.byteLength(message)).toBeLessThanOrEqual(most);
      expect(Buffer.byteLength(message)).toBeGreaterThan(29_000);
      expect(message).toMatch(/^task push failed: \[cut\] \.\.\./);
      expect(message).toMatch(/the end$/);
      expect(message).not.toContain("\u{fffd}");
    },
  );

  test("a text that just fits is not cut", () => {
    const log = "x".repeat(30_000);
    expect(describeFailedTask(task, log, "")).toBe(`task push failed: ${log}`);
    expect(describeFailedTask(task, `y${log}`, "")).toBe(`task push failed: [cut] ...${log}`);
  });
});
