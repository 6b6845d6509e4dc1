import { describeError, InputError } from "#base";
import { ApiError, describeRef, keyOf, type KubeClient, type KubeObject, readLogs, refOf } from "#kube";
import { type FreshStore, hasFinalizer, removeFinalizer } from "#runtime";
import { promotionFinalizers, promotionLabels } from "../../kinds/promotion-names.ts";
import { missingGitParams, resolverParam } from "../../releases/phase-pipeline.ts";
import type { PhaseProgress, PhaseRequest, PhaseRunner } from "../../releases/phase-runner.ts";
import { describeFailedTask, type FailedTask, readFailure } from "./failed-task.ts";
import { releasePipelineRun, releaseRunName, type ReleaseRunSettings } from "./release-pipeline-run.ts";
import { pipelineRunKind, readPipelineRun, taskRunKind } from "./test-pipeline-run.ts";

/** Runs of releases by the key of their Release. */
export const byRelease = "release";

export interface ReleaseRunnerDeps {
  readonly client: KubeClient;
  readonly runs: FreshStore;
  readonly settingsOf: (request: PhaseRequest, signal: AbortSignal) => Promise<Omit<ReleaseRunSettings, "commit">>;
  /** The commit that a revision of a repository stands for. */
  readonly resolveRevision: (url: string, revision: string, signal: AbortSignal) => Promise<string>;
}

const retryMs = 60_000;
const commitPattern = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const mostLines = 500;

/** The Release that a run belongs to, by its labels, as it is indexed. */
export function releaseKeysOf(run: KubeObject): readonly string[] {
  const key = releaseKeyOf(run);
  return key === undefined ? [] : [key];
}

function releaseKeyOf({ metadata: { labels = {} } }: KubeObject): string | undefined {
  const [namespace, name] = [labels[promotionLabels.releaseNamespace], labels[promotionLabels.releaseName]];
  return namespace !== undefined && name !== undefined ? `${namespace}/${name}` : undefined;
}

/** Runs the pipelines of Releases as PipelineRuns of Tekton. */
export function tektonReleaseRunner(deps: ReleaseRunnerDeps): PhaseRunner {
  const { client, runs, settingsOf, resolveRevision } = deps;

  async function start(request: PhaseRequest, signal: AbortSignal): Promise<PhaseProgress> {
    try {
      await client.discovery.find(pipelineRunKind, signal);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const message = "the cluster has no Tekton Pipelines; install it, or use the resolver builtin";
      return { kind: "running", message, afterMs: retryMs };
    }
    try {
      const commit = await commitOf(request, signal);
      const settings = await settingsOf(request, signal);
      const body = releasePipelineRun(request, { ...settings, ...(commit === undefined ? {} : { commit }) });
      const run = await client.create(body, {}, signal);
      runs.note(run);
      return { kind: "running", run: keyOf(run) };
    } catch (error) {
      if (error instanceof InputError) return refused(error);
      if (!(error instanceof ApiError)) throw error;
      if (error.isAlreadyExists) return adopt(request, signal);
      if (error.isInvalid || error.isBadRequest) return refused(error);
      // A quota or an admission webhook may change its mind.
      if (error.isForbidden) return { kind: "running", message: refused(error).message, afterMs: retryMs };
      throw error;
    }
  }

  async function commitOf({ pipeline }: PhaseRequest, signal: AbortSignal): Promise<string | undefined> {
    if (pipeline.resolver !== "git") return undefined;
    const [url, revision] = ["url", "revision"].map((name) => resolverParam(pipeline, name));
    if (!url || !revision || missingGitParams(pipeline).length > 0) {
      throw new InputError("the resolver git needs the params url, revision and pathInRepo", {
        next: "give all three",
      });
    }
    return commitPattern.test(revision) ? revision : await resolveRevision(url, revision, signal);
  }

  /** A run of this name is the one that was created before a kill, unless it is of another Release. */
  async function adopt(request: PhaseRequest, signal: AbortSignal): Promise<PhaseProgress> {
    const { release, phase, attempt, namespace } = request;
    const ref = { ...pipelineRunKind, namespace, name: releaseRunName(release, phase, attempt) };
    const run = await client.get(ref, signal);
    if (releaseKeyOf(run) !== keyOf(release)) {
      const message = `${describeRef(ref)} exists already and is not a run of this Release; delete it, then release again`;
      return { kind: "failed", message };
    }
    runs.note(run);
    return await follow(run, signal);
  }

  async function follow(run: KubeObject, signal: AbortSignal): Promise<PhaseProgress> {
    const { progress, message = "", isDeleting } = readPipelineRun(run);
    const key = keyOf(run);
    if (progress === "succeeded") return { kind: "succeeded", run: key };
    if (progress === "running") return isDeleting ? deleted(key) : { kind: "running", run: key };
    const { namespace, name } = run.metadata;
    const labelSelector = `tekton.dev/pipelineRun=${name}`;
    const { items } = await client.list({ ...taskRunKind, namespace, labelSelector }, signal);
    const { failure, task } = readFailure(run, items);
    if (!task) return { kind: "failed", run: key, message, failure };
    const log = await readLog(namespace ?? "", task, signal);
    return { kind: "failed", run: key, message: describeFailedTask(task, log, message), failure };
  }

  /** The end of the failed step's log; undefined if it cannot be read any more. */
  async function readLog(namespace: string, task: FailedTask, signal: AbortSignal): Promise<string | undefined> {
    if (task.pod === undefined) return undefined;
    const options = { container: task.container, tailLines: mostLines, limitBytes: 2 ** 20 };
    const lines: string[] = [];
    try {
      for await (const line of readLogs(client, { namespace, name: task.pod }, options, signal)) lines.push(line);
    } catch {
      signal.throwIfAborted();
      return undefined; // pods go before their runs, and the message of the task remains
    }
    return lines.length === 0 ? undefined : lines.join("\n");
  }

  async function runsOf(release: KubeObject, signal: AbortSignal): Promise<readonly KubeObject[]> {
    const { namespace = "", name } = release.metadata;
    const labelSelector = `${promotionLabels.releaseNamespace}=${namespace},${promotionLabels.releaseName}=${name}`;
    try {
      await client.discovery.find(pipelineRunKind, signal);
    } catch (error) {
      if (error instanceof InputError) return [];
      throw error;
    }
    return (await client.list({ ...pipelineRunKind, labelSelector }, signal)).items;
  }

  return {
    async advance(request, signal) {
      const { release, phase, attempt, namespace, known } = request;
      const key = `${namespace}/${releaseRunName(release, phase, attempt)}`;
      const kept = runs.get(key);
      if (kept && releaseKeyOf(kept) === keyOf(release)) return await follow(kept, signal);
      if (known === undefined) return await start(request, signal);
      const [inNamespace, name = ""] = known.split("/");
      const found = await client.find({ ...pipelineRunKind, namespace: inNamespace, name }, signal);
      return found ? await follow(found, signal) : deleted(known);
    },

    async conclude(release, signal) {
      const open = runs
        .byIndex(byRelease, keyOf(release))
        .filter((run) => hasFinalizer(run, promotionFinalizers.release));
      for (const run of open) {
        const isOver = readPipelineRun(run).progress !== "running" || run.metadata.deletionTimestamp !== undefined;
        if (isOver) await removeFinalizer(run, promotionFinalizers.release, client, signal);
      }
    },

    async remove(release, signal) {
      for (const run of await runsOf(release, signal)) {
        await removeFinalizer(run, promotionFinalizers.release, client, signal);
        await client.delete(refOf(run), { uid: run.metadata.uid }, signal);
      }
    },
  };
}

function refused(error: Error): PhaseProgress & { readonly kind: "failed" } {
  return { kind: "failed", message: `cannot create the PipelineRun: ${describeError(error)}` };
}

function deleted(run: string): PhaseProgress {
  return { kind: "failed", run, message: `PipelineRun ${run} was deleted while it was running` };
}
