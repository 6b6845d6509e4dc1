import { keyOf, type KubeObject, refOf } from "#kube";
import {
  done,
  hasFinalizer,
  preconditions,
  type Reconciler,
  removeFinalizer,
  requeueAfter,
  type Result,
  writeConditionally,
} from "#runtime";
import {
  copiedPacPrefix,
  promotionAnnotations,
  promotionFinalizers,
  releaseConditions,
} from "../kinds/promotion-names.ts";
import { loadReleaseFacts } from "./load-release-facts.ts";
import { unbindManagedAccount } from "./managed-binding.ts";
import type { ReleaseDeps } from "./release-deps.ts";
import { ReleaseDraft, timeText } from "./release-draft.ts";
import { isReleaseFinished, specOf, releaseStatus } from "./release-state.ts";
import { runPhases } from "./run-phases.ts";
import { type ReleaseFacts, type ReleaseVerdict, validateRelease } from "./validate-release.ts";

/** Timers take at most 2^31 - 1 ms. */
const longestTimerMs = 24 * 60 * 60_000;
const dayMs = 24 * 60 * 60_000;
const defaultGraceDays = 7;

/** Brings a Release through validation and its pipelines to its end, and deletes it when it has expired. */
export function releaseReconciler(deps: ReleaseDeps): Reconciler {
  return async function reconcileRelease(key, signal) {
    const release = deps.releases.get(key);
    if (!release || !deps.mayWrite()) return done;
    if (release.metadata.deletionTimestamp !== undefined) return await removeRelease(release, deps, signal);
    if (isReleaseFinished(release)) return await keepUntilExpiry(release, deps, signal);
    const { facts, verdict } = await judgeRelease(release, deps, signal);
    if (verdict.kind === "waiting") return requeueAfter(verdict.afterMs);
    const prepared = await prepareRelease(release, facts, deps, signal);
    // Another replica may be further than our store.
    if (!prepared || isReleaseFinished(prepared)) return done;
    const draft = new ReleaseDraft(prepared, deps);
    const hasStarted = draft.state(releaseConditions.validated) === "succeeded";
    noteVerdict(draft, verdict, { ...facts, hasStarted }, deps);
    const isRefused = verdict.kind === "invalid" && !hasStarted;
    if (isRefused) draft.default("completionTime", draft.time);
    const wait = isRefused ? undefined : await runPhases(draft, facts, deps, signal);
    const written = await draft.write();
    if (!written) return done;
    deps.releases.note(written);
    if (isReleaseFinished(written)) deps.metrics.ended(written, deps.clock.now());
    return wait?.afterMs === undefined ? done : requeueAfter(wait.afterMs);
  };
}

/** A verdict against a Release is final, and so it is not based on a store, which may lag behind. */
async function judgeRelease(
  release: KubeObject,
  deps: ReleaseDeps,
  signal: AbortSignal,
): Promise<{ readonly facts: ReleaseFacts; readonly verdict: ReleaseVerdict }> {
  for (const isFresh of [false, true]) {
    const facts = await loadReleaseFacts(release, deps, isFresh, signal);
    const verdict = validateRelease(facts);
    if (verdict.kind !== "invalid" || isFresh) return { facts, verdict };
  }
  throw new Error("the second verdict is the last");
}

function noteVerdict(
  draft: ReleaseDraft,
  verdict: Exclude<ReleaseVerdict, { kind: "waiting" }>,
  { release, plan, hasStarted, now }: ReleaseFacts,
  { metrics }: ReleaseDeps,
): void {
  const { validated, released } = releaseConditions;
  const target = plan && specOf(plan)["target"];
  draft.default("startTime", draft.time);
  draft.default("target", typeof target === "string" && target !== "" ? target : release.metadata.namespace);
  draft.default("expirationTime", expirationOf(release, plan));
  if (verdict.kind === "valid") {
    if (verdict.attribution) draft.setField("attribution", verdict.attribution);
    if (hasStarted) return;
    draft.set(validated, "succeeded", "the Release is valid");
    draft.setField("validation", { time: draft.time });
    draft.set(released, "progressing", "the Release runs");
    metrics.validated(release, "Succeeded", now);
    return;
  }
  if (draft.state(released) === "failed") return;
  draft.set(validated, "failed", verdict.message);
  draft.setField("validation", { ...(hasStarted ? { failedPostValidation: true } : {}), time: draft.time });
  draft.fail(`the Release is not valid: ${verdict.message}`);
  metrics.validated(release, "Failed", now);
}

function expirationOf(release: KubeObject, plan: KubeObject | undefined): string {
  const { gracePeriodDays } = specOf(release);
  const planned = plan && specOf(plan)["releaseGracePeriodDays"];
  const days = [gracePeriodDays, planned].find((value) => typeof value === "number") ?? defaultGraceDays;
  return timeText(Date.parse(release.metadata.creationTimestamp ?? "") + days * dayMs);
}

/** Its finalizer, and what the Snapshot says of its build, in one write. */
async function prepareRelease(
  release: KubeObject,
  { snapshot }: ReleaseFacts,
  { client, releases }: ReleaseDeps,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const prepared = await writeConditionally(
    release,
    client,
    (current) => {
      const { finalizers = [], deletionTimestamp, labels = {}, annotations = {} } = current.metadata;
      if (finalizers.includes(promotionFinalizers.release) || deletionTimestamp !== undefined) return undefined;
      const copied = copiedMetadata(snapshot);
      const body = {
        metadata: {
          ...preconditions(current),
          finalizers: [...finalizers, promotionFinalizers.release],
          labels: { ...copied.labels, ...labels },
          annotations: { ...copied.annotations, ...annotations },
        },
      };
      return client.patch(refOf(current), { type: "merge", body }, signal);
    },
    signal,
  );
  if (prepared) releases.note(prepared);
  return prepared?.metadata.deletionTimestamp === undefined ? prepared : undefined;
}

/** What a Release takes over from its Snapshot: which build it was. */
export function copiedMetadata(snapshot: KubeObject | undefined): {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
} {
  const { labels = {}, annotations = {} } = snapshot?.metadata ?? {};
  return { labels: buildFacts(labels), annotations: buildFacts(annotations) };
}

function buildFacts(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([key]) => key.startsWith(copiedPacPrefix) || key === promotionAnnotations.spanContext,
    ),
  );
}

async function keepUntilExpiry(release: KubeObject, deps: ReleaseDeps, signal: AbortSignal): Promise<Result> {
  for (const runner of deps.runners) await runner.conclude(release, signal);
  const { expirationTime } = releaseStatus(release);
  const leftMs = Date.parse(typeof expirationTime === "string" ? expirationTime : "") - deps.clock.now();
  if (Number.isNaN(leftMs)) return done;
  if (leftMs > 0) return requeueAfter(Math.min(leftMs, longestTimerMs));
  await deps.client.delete(refOf(release), { uid: release.metadata.uid }, signal);
  return done;
}

/** Ends what runs, takes back rights, and lets the Release go. */
async function removeRelease(release: KubeObject, deps: ReleaseDeps, signal: AbortSignal): Promise<Result> {
  if (!hasFinalizer(release, promotionFinalizers.release)) return done;
  for (const runner of deps.runners) await runner.remove(release, signal);
  await unbindManagedAccount(release, deps.client, signal);
  await removeFinalizer(release, promotionFinalizers.release, deps.client, signal);
  deps.metrics.forgotten(release);
  deps.releases.release(release, keyOf(release));
  return done;
}
