import { type Clock, InputError, isRecord } from "#base";
import { ApiError, type KubeClient, type KubeObject, type NewObject, refOf } from "#kube";
import { removeFinalizer } from "#runtime";
import { copiedPacPrefix, pacNames, promotionFinalizers } from "../../kinds/promotion-names.ts";
import { createOnce } from "../create-once.ts";
import type { StartedRun, TestRunner, TestRunRequest } from "../test-runner.ts";
import { awaitedResolution, readResolution, resolutionKind, resolutionRequest } from "./resolution-request.ts";
import {
  pipelineRunKind,
  readPipelineRun,
  readTaskRun,
  resolvedPipelineRun,
  taskRunKind,
  testPipelineRun,
} from "./test-pipeline-run.ts";

const absentMs = 60_000;

export interface TektonRunnerDeps {
  readonly client: KubeClient;
  readonly clock: Pick<Clock, "now">;
}

/** Runs tests as PipelineRuns of Tekton. */
export function tektonRunner({ client, clock }: TektonRunnerDeps): TestRunner {
  async function resolve(request: TestRunRequest, signal: AbortSignal): Promise<StartedRun> {
    const { snapshot, name } = request;
    const existing = await client.find({ ...pipelineRunKind, namespace: snapshot.namespace, name }, signal);
    if (existing) return { kind: "started", run: existing };
    const ref = { ...resolutionKind, namespace: snapshot.namespace, name };
    const resolution = await client.find(ref, signal);
    if (!resolution) {
      await client.create(resolutionRequest(request), {}, signal);
      return awaitedResolution;
    }
    const outcome = readResolution(resolution, clock.now());
    if (outcome.kind === "waiting") return outcome;
    const started = outcome.kind === "refused" ? outcome : await startResolved(outcome.text, request, signal);
    await client.delete(refOf(resolution), { uid: resolution.metadata.uid }, signal);
    return started;
  }

  async function startResolved(text: string, request: TestRunRequest, signal: AbortSignal): Promise<StartedRun> {
    let run: NewObject;
    try {
      run = resolvedPipelineRun(text, request);
    } catch (error) {
      if (error instanceof InputError) return { kind: "refused", message: error.message };
      throw error;
    }
    return createOnce(client, run, request.snapshot, signal);
  }

  return {
    async start(request, signal) {
      try {
        await client.discovery.find(pipelineRunKind, signal);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        const message = "the cluster has no Tekton Pipelines; install it, or use the resolver builtin";
        return { kind: "waiting", message, afterMs: absentMs };
      }
      if (request.scenario.resolvesRun) return resolve(request, signal);
      return createOnce(client, testPipelineRun(request), request.snapshot, signal);
    },

    async observe(run, signal) {
      const progress = readPipelineRun(run);
      if (progress.progress === "running") return { ...progress, tasks: [] };
      const { namespace, name } = run.metadata;
      const { items } = await client.list(
        { ...taskRunKind, namespace, labelSelector: `tekton.dev/pipelineRun=${name}` },
        signal,
      );
      return { ...progress, tasks: items.map(readTaskRun) };
    },

    async cancel(run, signal) {
      if (readPipelineRun(run).progress === "running" && !isCancelled(run)) {
        // Unlike `Cancelled`, this runs the tasks under `finally`, which remove what the test has made.
        const body = {
          metadata: { annotations: { [`${copiedPacPrefix}${pacNames.cancelled}`]: "true" } },
          spec: { status: "CancelledRunFinally" },
        };
        await client.patch(refOf(run), { type: "merge", body }, signal).catch(ignoreAbsent);
      }
      await removeFinalizer(run, promotionFinalizers.run, client, signal);
    },
  };
}

function isCancelled({ spec }: KubeObject): boolean {
  return isRecord(spec) && typeof spec["status"] === "string" && spec["status"] !== "";
}

/** A run that is gone needs no cancelling. */
function ignoreAbsent(error: unknown): void {
  if (!(error instanceof ApiError) || !error.isNotFound) throw error;
}
