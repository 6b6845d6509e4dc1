import { isRecord } from "#base";
import type { KubeClient, KubeObject } from "#kube";

/** A task of a run, as the player plays it. */
export interface PlayedTask {
  readonly name: string;
  /** Its result TEST_OUTPUT; text goes in as it is. */
  readonly output?: unknown;
  /** Someone deletes its TaskRun before anyone looks. */
  readonly isPruned?: boolean;
  /** It failed. */
  readonly failure?: PlayedFailure;
}

/** How a task failed: a step that ran out of memory, a task that took too long, or an error. */
export interface PlayedFailure {
  readonly reason: "OOMKilled" | "TaskRunTimeout" | "Error";
  readonly message?: string;
  /** Of its step `run`. */
  readonly memory?: string;
  readonly timeout?: string;
}

export interface PlayedRun {
  readonly tasks?: readonly PlayedTask[];
  readonly hasFailed?: boolean;
  readonly message?: string;
  /** Of its condition. */
  readonly reason?: string;
}

const startTime = "2026-01-02T03:04:05Z";
const completionTime = "2026-01-02T03:05:35Z";

/** A TEST_OUTPUT with this result. */
export function testOutput(result: string): object {
  return { result, timestamp: "1700000000", successes: 3, failures: result === "FAILURE" ? 1 : 0, warnings: 0 };
}

/** Does to PipelineRuns what Tekton would do, as the test says. */
export class PipelinePlayer {
  readonly #client: KubeClient;
  readonly #namespace: string;

  constructor(client: KubeClient, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  /** Ends a run: writes its TaskRuns with their results, and then its own status. */
  async finish(name: string, { tasks = [], hasFailed = false, message = "", reason }: PlayedRun = {}): Promise<void> {
    const childReferences = await Promise.all(tasks.map((task) => this.#playTask(name, task)));
    await this.#setStatus("PipelineRun", name, {
      childReferences,
      startTime,
      completionTime,
      conditions: [condition(hasFailed ? "False" : "True", reason ?? (hasFailed ? "Failed" : "Succeeded"), message)],
    });
  }

  /** Ends a run that was cancelled as Tekton does with `CancelledRunFinally`: the tasks under `finally` run first. */
  async honourCancellation(name: string): Promise<readonly string[]> {
    const run = await this.#client.get({ ...tekton("PipelineRun"), namespace: this.#namespace, name });
    const spec = isRecord(run["spec"]) ? run["spec"] : {};
    const last = spec["status"] === "CancelledRunFinally" ? [{ name: "clean-up" }] : [];
    const childReferences = await Promise.all(last.map((task) => this.#playTask(name, task)));
    const conditions = [condition("False", "Cancelled", "the run was cancelled")];
    await this.#setStatus("PipelineRun", name, { childReferences, startTime, completionTime, conditions });
    return last.map((task) => task.name);
  }

  /** Answers a ResolutionRequest with this text, or refuses it. */
  async resolve(name: string, answer: { readonly text: string } | { readonly refusal: string }): Promise<void> {
    const status =
      "text" in answer
        ? { data: Buffer.from(answer.text).toString("base64"), conditions: [condition("True", "Succeeded", "")] }
        : { conditions: [condition("False", "ResolutionFailed", answer.refusal)] };
    await this.#setStatus("ResolutionRequest", name, status);
  }

  async #playTask(run: string, { name, output, isPruned = false, failure }: PlayedTask): Promise<object> {
    const taskRun = `${run}-${name}`.slice(0, 63);
    if (!isPruned) {
      const labels = { "tekton.dev/pipelineRun": run, "tekton.dev/pipelineTask": name };
      const metadata = { name: taskRun, namespace: this.#namespace, labels };
      const spec = failure?.timeout === undefined ? {} : { timeout: failure.timeout };
      await this.#client.create({ ...tekton("TaskRun"), metadata, spec });
      const value = typeof output === "string" ? output : JSON.stringify(output);
      const results = output === undefined ? [] : [{ name: "TEST_OUTPUT", type: "string", value }];
      await this.#setStatus("TaskRun", taskRun, { startTime, completionTime, results, ...outcomeOf(failure) });
    }
    return { ...tekton("TaskRun"), name: taskRun, pipelineTaskName: name };
  }

  #setStatus(kind: string, name: string, status: object): Promise<KubeObject> {
    const ref = { ...tekton(kind), namespace: this.#namespace, name };
    return this.#client.patch(ref, { type: "merge", subresource: "status", body: { status } });
  }
}

function tekton(kind: string): { readonly apiVersion: string; readonly kind: string } {
  return { apiVersion: kind === "ResolutionRequest" ? "resolution.tekton.dev/v1beta1" : "tekton.dev/v1", kind };
}

function outcomeOf(failure: PlayedFailure | undefined): object {
  if (!failure) return { conditions: [condition("True", "Succeeded", "")] };
  const { reason, message = "", memory } = failure;
  const limits = memory === undefined ? {} : { computeResources: { limits: { memory }, requests: { memory } } };
  const isOutOfMemory = reason === "OOMKilled";
  return {
    conditions: [condition("False", isOutOfMemory ? "Failed" : reason, message)],
    steps: [{ name: "run", container: "step-run", terminated: { exitCode: 1, reason } }],
    taskSpec: { steps: [{ name: "run", ...limits }] },
  };
}

function condition(status: string, reason: string, message: string): object {
  return { type: "Succeeded", status, reason, message, lastTransitionTime: completionTime };
}
