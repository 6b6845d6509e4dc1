import { describeError, InputError } from "#base";
import { keyOf, type KubeObject } from "#kube";
import { releaseConditions } from "../kinds/promotion-names.ts";
import type { ReleaseAttempt } from "../kinds/release.ts";
import { parseTimeouts } from "../scenarios/run-timeouts.ts";
import { applyMitigations, decideRetry } from "./decide-retry.ts";
import { judgeRetries } from "./judge-retries.ts";
import { bindManagedAccount, unbindManagedAccount } from "./managed-binding.ts";
import { mergeReleaseData } from "./merge-release-data.ts";
import { builtinName, type PhasePipeline, readPipeline } from "./phase-pipeline.ts";
import { type PhaseProgress, type PhaseRequest, type ReleasePhase, releasePhases } from "./phase-runner.ts";
import type { ReleaseDeps } from "./release-deps.ts";
import type { ReleaseDraft } from "./release-draft.ts";
import { type PhaseProcessing, processingFields, readAttempts, readProcessing, specOf } from "./release-state.ts";
import { repairTimeouts } from "./repair-timeouts.ts";
import type { ReleaseFacts } from "./validate-release.ts";

/** A pipeline of a phase, with everything that it needs. */
interface PhaseJob {
  readonly phase: ReleasePhase;
  readonly namespace: string;
  readonly pipeline: PhasePipeline;
  readonly plan: KubeObject;
  readonly snapshot: KubeObject;
  readonly admission: KubeObject | undefined;
}

/** Nothing more to do until something changes, or so many milliseconds have passed. */
export interface PhaseWait {
  readonly afterMs?: number;
}

/** How long a pipeline of Tenon's own may take, as with Tekton. */
const defaultTimeout = 3_600_000_000_000n;

/** Brings a Release as far as it goes now. Phases wait for each other; undefined once all of them have ended. */
export async function runPhases(
  draft: ReleaseDraft,
  facts: ReleaseFacts,
  deps: ReleaseDeps,
  signal: AbortSignal,
): Promise<PhaseWait | undefined> {
  skipCollectors(draft, facts);
  for (const phase of releasePhases) {
    const wait = await settlePhase(phase, draft, facts, deps, signal);
    if (wait) return wait;
  }
  if (draft.state(releaseConditions.released) === "progressing" && draft.state(releaseConditions.final) !== "failed") {
    draft.set(releaseConditions.released, "succeeded", "the Snapshot is released");
  }
  draft.default("completionTime", draft.time);
  return undefined;
}

function skipCollectors(draft: ReleaseDraft, { plan, match }: ReleaseFacts): void {
  const admission = match?.kind === "matched" ? match.admission : undefined;
  const places = [
    [releaseConditions.tenantCollectors, plan],
    [releaseConditions.managedCollectors, admission],
  ] as const;
  for (const [type, object] of places) {
    if (draft.isFinished(type)) continue;
    const isDeclared = object && specOf(object)["collectors"] !== undefined;
    const message = isDeclared
      ? `Tenon does not run collectors: those of ${object.kind} ${keyOf(object)} are skipped`
      : "no collectors are declared";
    draft.set(type, "skipped", message);
  }
}

function jobOf(phase: ReleasePhase, { plan, snapshot, match }: ReleaseFacts): PhaseJob | undefined {
  const admission = match?.kind === "matched" ? match.admission : undefined;
  if (!plan || !snapshot) return undefined;
  const [holder, field] =
    phase === "managed"
      ? [admission, "pipeline"]
      : ([plan, phase === "tenant" ? "tenantPipeline" : "finalPipeline"] as const);
  const pipeline = holder && readPipeline(specOf(holder)[field]);
  const namespace = holder?.metadata.namespace ?? "";
  return pipeline && { phase, namespace, pipeline, plan, snapshot, admission };
}

async function settlePhase(
  phase: ReleasePhase,
  draft: ReleaseDraft,
  facts: ReleaseFacts,
  deps: ReleaseDeps,
  signal: AbortSignal,
): Promise<PhaseWait | undefined> {
  const type = releaseConditions[phase];
  if (draft.isFinished(type)) return undefined;
  const isNew = draft.state(type) === "absent";
  const job = jobOf(phase, facts);
  if (isNew && phase !== "final" && draft.state(releaseConditions.released) === "failed") {
    draft.set(type, "skipped", "the Release has failed before");
    return undefined;
  }
  if (!job) {
    if (isNew) draft.set(type, "skipped", `there is no ${phase} pipeline`);
    else
      await conclude(
        phase,
        { kind: "failed", message: "its pipeline, plan or Snapshot was deleted" },
        draft,
        deps,
        signal,
      );
    return undefined;
  }
  if (isNew) deps.metrics.phaseStarted(draft.release, phase, deps.clock.now());
  for (;;) {
    const progress = await advance(job, draft, facts, deps, signal);
    if (progress.kind === "running") return noteRunning(job, progress, draft);
    if (!startsAgain(job, progress, draft, facts, deps)) {
      await conclude(phase, progress, draft, deps, signal);
      return undefined;
    }
  }
}

async function advance(
  job: PhaseJob,
  draft: ReleaseDraft,
  facts: ReleaseFacts,
  deps: ReleaseDeps,
  signal: AbortSignal,
): Promise<PhaseProgress> {
  let request: PhaseRequest;
  try {
    request = requestOf(job, draft, facts);
  } catch (error) {
    if (error instanceof InputError) return { kind: "failed", message: describeError(error) };
    throw error;
  }
  const { phase, namespace, pipeline } = job;
  const isBuiltin = builtinName(pipeline) !== undefined;
  const { serviceAccountName: name } = pipeline;
  if (phase === "managed" && !isBuiltin && name !== undefined && request.known === undefined) {
    const binding = await bindManagedAccount(draft.release, { namespace, name }, deps.client, signal);
    changeProcessing(draft, phase, { roleBindings: { tenantRoleBinding: binding } });
  }
  const progress = await deps.runnerOf(pipeline).advance(request, signal);
  return isBuiltin ? limitTime(request, progress, draft, deps) : progress;
}

/** Tekton ends its runs itself. */
function limitTime(
  { phase, timeouts }: PhaseRequest,
  progress: PhaseProgress,
  draft: ReleaseDraft,
  { clock }: ReleaseDeps,
): PhaseProgress {
  const { startTime } = processingOf(draft, phase);
  if (progress.kind !== "running" || startTime === undefined) return progress;
  const limitMs = Number((timeouts.pipeline ?? defaultTimeout) / 1_000_000n);
  const leftMs = Date.parse(startTime) + limitMs - clock.now();
  if (leftMs > 0) return { ...progress, afterMs: leftMs };
  const last = progress.message === undefined ? "" : `; ${progress.message}`;
  return { kind: "failed", message: `the pipeline took longer than ${limitMs / 1_000} s${last}` };
}

function requestOf(job: PhaseJob, draft: ReleaseDraft, { config }: ReleaseFacts): PhaseRequest {
  const { phase, admission, plan } = job;
  const attempts = phase === "managed" ? attemptsOf(draft) : [];
  const isRunning = attempts.at(-1)?.status === "Progressing";
  const attempt = phase === "managed" ? attempts.length - (isRunning ? 1 : 0) : 0;
  const given = repairTimeouts(parseTimeouts(job.pipeline.timeouts).timeouts, config.timeouts);
  const { pipeline, timeouts } = applyMitigations(job.pipeline, given, attempts);
  const known = phase === "managed" ? attempts[attempt]?.pipelineRun : processingOf(draft, phase).pipelineRun;
  const [release, planned] = [specOf(draft.release)["data"], specOf(plan)["data"]];
  // What a tenant writes must not decide what is done with the credentials of another namespace.
  const data =
    phase === "managed"
      ? mergeReleaseData({ release: undefined, plan: undefined, admission: admission && specOf(admission)["data"] })
      : mergeReleaseData({ release, plan: planned, admission: undefined });
  return { ...job, release: draft.release, pipeline, timeouts, data, attempt, known };
}

function noteRunning(
  { phase }: PhaseJob,
  { run, message, afterMs }: PhaseProgress & { readonly kind: "running" },
  draft: ReleaseDraft,
): PhaseWait {
  draft.set(releaseConditions[phase], "progressing", message ?? `the ${phase} pipeline runs`);
  if (phase === "managed")
    noteAttempt(draft, { status: "Progressing", ...(run === undefined ? {} : { pipelineRun: run }) });
  changeProcessing(draft, phase, {
    ...(run === undefined ? {} : { pipelineRun: run }),
    startTime: processingOf(draft, phase).startTime ?? draft.time,
  });
  return afterMs === undefined ? {} : { afterMs };
}

/** Whether a failed managed pipeline gets another attempt, which is then the one that runs. */
function startsAgain(
  { phase, pipeline }: PhaseJob,
  progress: Exclude<PhaseProgress, { kind: "running" }>,
  draft: ReleaseDraft,
  { match, plan, config }: ReleaseFacts,
  { metrics }: ReleaseDeps,
): boolean {
  if (phase !== "managed") return false;
  const run = progress.run === undefined ? {} : { pipelineRun: progress.run };
  if (progress.kind === "succeeded") {
    noteAttempt(draft, { ...run, status: "Succeeded", completionTime: draft.time });
    const before = attemptsOf(draft).at(-2)?.failureReason;
    if (before !== undefined) metrics.mitigated(draft.release, before);
    return false;
  }
  const { failure } = progress;
  const { reason: failureReason = "Error", lastTask, lastStep, successfulTasks } = failure ?? {};
  noteAttempt(draft, {
    ...run,
    status: "Failed",
    failureReason,
    ...(lastTask === undefined ? {} : { lastTask }),
    ...(lastStep === undefined ? {} : { lastStep }),
    ...(successfulTasks === undefined ? {} : { successfulTasks }),
    completionTime: draft.time,
  });
  if (!failure || match?.kind !== "matched" || !plan) return false;
  const attempts = attemptsOf(draft);
  const given = repairTimeouts(parseTimeouts(pipeline.timeouts).timeouts, config.timeouts);
  const { timeouts } = applyMitigations(pipeline, given, attempts);
  const mitigation = decideRetry(attempts, failure, judgeRetries(match.admission, [plan], config), timeouts);
  if (!mitigation) return false;
  draft.setField("managedPipelineAttempts", [
    ...attempts,
    { status: "Progressing", startTime: draft.time, mitigation },
  ]);
  return true;
}

async function conclude(
  phase: ReleasePhase,
  progress: Exclude<PhaseProgress, { kind: "running" }>,
  draft: ReleaseDraft,
  deps: ReleaseDeps,
  signal: AbortSignal,
): Promise<void> {
  const { startTime = draft.time, roleBindings } = processingOf(draft, phase);
  // First: once the outcome is noted, nothing looks for it any more.
  if (roleBindings) await unbindManagedAccount(draft.release, deps.client, signal);
  const run = progress.run === undefined ? {} : { pipelineRun: progress.run };
  changeProcessing(draft, phase, { ...run, startTime, completionTime: draft.time });
  const reason = progress.kind === "succeeded" ? "Succeeded" : "Failed";
  deps.metrics.phaseEnded(draft.release, phase, reason, startTime, deps.clock.now());
  if (progress.kind === "succeeded") {
    draft.set(releaseConditions[phase], "succeeded", `the ${phase} pipeline succeeded`);
    const before = draft.field("artifacts");
    if (progress.artifacts) {
      draft.setField(
        "artifacts",
        mergeReleaseData({ release: undefined, plan: before, admission: progress.artifacts }),
      );
    }
    return;
  }
  draft.set(releaseConditions[phase], "failed", progress.message);
  draft.fail(`the ${phase} pipeline failed; condition ${releaseConditions[phase]} says why`);
}

function attemptsOf(draft: ReleaseDraft): readonly ReleaseAttempt[] {
  return readAttempts({
    ...draft.release,
    status: { managedPipelineAttempts: draft.field("managedPipelineAttempts") },
  });
}

/** Changes the attempt that runs, or adds the first one. */
function noteAttempt(draft: ReleaseDraft, change: Partial<ReleaseAttempt>): void {
  const attempts = attemptsOf(draft);
  const last = attempts.at(-1);
  const isRunning = last?.status === "Progressing";
  const { roleBindings } = processingOf(draft, "managed");
  const attempt = {
    ...(isRunning ? last : { startTime: draft.time }),
    ...(roleBindings ? { roleBindings } : {}),
    ...change,
  };
  draft.setField("managedPipelineAttempts", [...(isRunning ? attempts.slice(0, -1) : attempts), attempt]);
}

function processingOf(draft: ReleaseDraft, phase: ReleasePhase): PhaseProcessing {
  const field = processingFields[phase];
  return readProcessing({ ...draft.release, status: { [field]: draft.field(field) } }, phase);
}

function changeProcessing(draft: ReleaseDraft, phase: ReleasePhase, change: PhaseProcessing): void {
  draft.setField(processingFields[phase], { ...processingOf(draft, phase), ...change });
}
