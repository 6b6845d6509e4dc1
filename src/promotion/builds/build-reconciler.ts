import type { Clock, Logger } from "#base";
import type { KubeClient, KubeObject, NewObject } from "#kube";
import { done, type FreshStore, type Reconciler, requeueAfter, type Result } from "#runtime";
import {
  copiedPacPrefix,
  pacNames,
  promotionAnnotations,
  promotionFinalizers,
  promotionLabels,
  snapshotConditions,
} from "../kinds/promotion-names.ts";
import { readSnapshot } from "../scenarios/tested-snapshot.ts";
import { setSnapshotCondition, snapshotCondition } from "../snapshots/snapshot-condition.ts";
import { isPushEvent, pullRequestGroup, pullRequestOf } from "./build-event.ts";
import { type BuildRun, isBuildRun, readBuildRun } from "./build-run.ts";
import { type CandidateImage, composeComponents } from "./candidate-list.ts";
import { composeSnapshot, describeBuildRun, describeOmitted } from "./compose-snapshot.ts";
import { createSnapshot } from "./create-snapshot.ts";
import { type BuildDecision, decideBuild, isHeld } from "./decide-build.ts";
import { describeRefusal, isRefusedCreation } from "./describe-refusal.ts";
import type { IntakeMetrics } from "./intake-metrics.ts";
import { patchMetadata } from "./patch-metadata.ts";
import { isPromoted, promoteCandidate, promotionMark, refusalMark } from "./promote-candidate.ts";
import { promotionPolicyOf } from "./promotion-policy.ts";

/** The indexes of the stores. */
export const byApplication = "application";
export const byComponent = "component";
export const byBuildRun = "build run";

export interface BuildDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: IntakeMetrics;
  readonly runs: FreshStore;
  readonly applications: FreshStore;
  readonly components: FreshStore;
  readonly snapshots: FreshStore;
  /** Checked before each write of a status. */
  readonly mayWrite: () => boolean;
  /** Whether builds wait for Tekton Chains. */
  readonly requireChains: () => boolean;
}

/** How long a Snapshot that a quota forbids is not tried again. */
const quotaMs = 60 * 60_000;

/** Turns a finished build into a candidate and a Snapshot. */
export function buildReconciler(deps: BuildDeps): Reconciler {
  return async function reconcileBuild(key, signal) {
    const object = deps.runs.get(key);
    if (!object || !isBuildRun(object)) return done;
    const run = readBuildRun(object);
    const component =
      run.component === undefined ? undefined : deps.components.get(`${run.namespace}/${run.component}`);
    const application = component && applicationOf(component, deps);
    const requireChains = deps.requireChains();
    const decision = decideBuild({ run, component, application, requireChains, now: deps.clock.now() });
    switch (decision.kind) {
      case "release":
        await release(run, deps, signal);
        return done;
      case "hold":
        await hold(run, deps, signal);
        return done;
      case "wait":
        return requeueAfter(decision.afterMs);
      case "fail":
        await noteFailure(run, decision.message, deps, signal, notCandidate(run, decision.message, deps));
        return done;
      case "snapshot":
        break;
    }
    return await snapshotBuild(run, decision, application, deps, signal);
  };
}

/** The Application of a component, if it exists. */
export function applicationOf(component: KubeObject, { applications }: Pick<BuildDeps, "applications">) {
  const { spec, metadata } = component;
  const name = typeof spec === "object" && spec !== null && "application" in spec ? spec.application : undefined;
  return typeof name === "string" ? applications.get(`${metadata.namespace}/${name}`) : undefined;
}

async function snapshotBuild(
  run: BuildRun,
  { row, candidate, isPush }: Extract<BuildDecision, { readonly kind: "snapshot" }>,
  application: KubeObject | undefined,
  deps: BuildDeps,
  signal: AbortSignal,
): Promise<Result> {
  if (!application) return done;
  const candidacy = isPush ? await enterCandidates(run, candidate, application, deps, signal) : {};
  const merged = isPush ? await markMerged(run, deps, signal) : {};
  const adopted = deps.snapshots.byIndex(byBuildRun, `${run.namespace}/${run.name}`);
  if (adopted.length > 1) deps.log.warn("a build has several Snapshots", { run: run.name, namespace: run.namespace });
  let snapshot = adopted[0];
  if (!snapshot) {
    const owned = deps.components.byIndex(byApplication, `${run.namespace}/${application.metadata.name}`);
    const { components, omitted } = composeComponents(owned, new Map([[row.name, row]]));
    const { leftOut, ...described } = describeBuildRun(run);
    const annotations = {
      ...described.annotations,
      ...candidacy,
      ...(omitted.length + leftOut.length === 0
        ? {}
        : { [promotionAnnotations.snapshotStatus]: describeOmitted(omitted, leftOut) }),
    };
    const parts = { application, type: "component", components, labels: described.labels, annotations } as const;
    const made = await tryCreate(composeSnapshot(parts), run, deps, signal);
    if (made === "forbidden") return requeueAfter(quotaMs);
    if (made === "invalid") return done;
    snapshot = made;
  }
  const { name } = snapshot.metadata;
  await patchRun(run, deps, signal, {
    [promotionAnnotations.snapshot]: name,
    [promotionAnnotations.snapshots]: name,
    ...candidacy,
    ...merged,
    [promotionAnnotations.snapshotStatus]: JSON.stringify({ status: "success", message: `created Snapshot ${name}` }),
  });
  return done;
}

async function tryCreate(
  snapshot: NewObject,
  run: BuildRun,
  deps: BuildDeps,
  signal: AbortSignal,
): Promise<KubeObject | "forbidden" | "invalid"> {
  try {
    const isSame = ({ metadata: { labels } }: KubeObject) => labels?.[promotionLabels.buildRun] === run.name;
    const made = await createSnapshot(snapshot, { id: run.uid, startedAt: run.startedAt, isSame }, deps.client, signal);
    deps.metrics.snapshotCreated("component", (deps.clock.now() - run.finishedAt) / 1_000);
    return made;
  } catch (error) {
    if (!isRefusedCreation(error)) throw error;
    const again = error.isForbidden ? ", tried again every hour" : "";
    await noteFailure(run, `cannot create the Snapshot${again}: ${describeRefusal(error)}`, deps, signal);
    return error.isForbidden ? "forbidden" : "invalid";
  }
}

/** What the run and its Snapshot say about the candidate list. */
async function enterCandidates(
  run: BuildRun,
  candidate: CandidateImage,
  application: KubeObject,
  deps: BuildDeps,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const already = run.annotations[promotionAnnotations.candidate];
  if (already !== undefined && isPromoted(already)) return { [promotionAnnotations.candidate]: already };
  if (promotionPolicyOf(application) === "AfterTests") return {};
  const key = `${run.namespace}/${run.component}`;
  const outcome = await promoteCandidate(key, candidate, deps, signal);
  return { [promotionAnnotations.candidate]: promotionMark(outcome, deps.clock.now()) };
}

/** The build of a merged pull request: the Snapshots of the pull request are history. */
async function markMerged(
  run: BuildRun,
  deps: BuildDeps,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const merged = { [promotionAnnotations.pullRequestStatus]: "merged" };
  if (pullRequestOf(run) === undefined || run.annotations[promotionAnnotations.pullRequestStatus] === "merged")
    return {};
  for (const snapshot of pullRequestSnapshots(run, deps)) {
    if (snapshot.metadata.annotations?.[promotionAnnotations.pullRequestStatus] === "merged") continue;
    const patched = await patchMetadata(snapshot, () => ({ annotations: merged }), deps.client, signal);
    if (patched) deps.snapshots.note(patched);
  }
  return merged;
}

/** The Snapshots of earlier builds of the same component and pull request. */
function pullRequestSnapshots(run: BuildRun, deps: BuildDeps): readonly KubeObject[] {
  const number = pullRequestOf(run);
  if (number === undefined || run.component === undefined) return [];
  return deps.snapshots.byIndex(byComponent, `${run.namespace}/${run.component}`).filter((snapshot) => {
    const { labels, type, isPush } = readSnapshot(snapshot);
    return type === "component" && !isPush && labels[`${copiedPacPrefix}${pacNames.pullRequest}`] === number;
  });
}

/** Keeps a running build until its result is known, says which group it belongs to, and ends tests that it makes pointless. */
async function hold(run: BuildRun, deps: BuildDeps, signal: AbortSignal): Promise<void> {
  const group = pullRequestGroup(run);
  const isMarked = group === undefined || run.labels[promotionLabels.pullRequestGroup] === group.hash;
  if (!isHeld(run) || !isMarked) {
    const marks = group && {
      labels: { [promotionLabels.pullRequestGroup]: group.hash },
      annotations: { [promotionAnnotations.pullRequestGroup]: group.name },
    };
    const change = ({ metadata: { finalizers = [] } }: KubeObject) => ({
      ...marks,
      finalizers: [...new Set([...finalizers, promotionFinalizers.run])],
    });
    const patched = await patchMetadata(run.object, change, deps.client, signal);
    if (patched) deps.runs.note(patched);
  }
  if (!isPushEvent(run)) await supersede(run, deps);
}

/** A new build of a pull request makes the tests of its earlier Snapshots pointless. */
async function supersede(run: BuildRun, deps: BuildDeps): Promise<void> {
  for (const snapshot of pullRequestSnapshots(run, deps)) {
    const { annotations } = readSnapshot(snapshot);
    const isOlder = Number(annotations[promotionAnnotations.buildStarted] ?? 0) < run.startedAt;
    const isKept = annotations[promotionAnnotations.ignoreSupersession] === "true";
    const integration = snapshotCondition(snapshot, snapshotConditions.integration);
    if (!isOlder || isKept || integration?.status === "True") continue;
    await setSnapshotCondition(
      snapshot,
      { status: "True", reason: "Canceled", message: `superseded by the build ${run.name}` },
      deps,
    );
  }
}

async function release(run: BuildRun, deps: BuildDeps, signal: AbortSignal): Promise<void> {
  if (isHeld(run)) await patchRun(run, deps, signal, {});
}

/** The failure is on the run, where its owner looks; nothing is retried until something changes. */
async function noteFailure(
  run: BuildRun,
  message: string,
  deps: BuildDeps,
  signal: AbortSignal,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const mark = JSON.stringify({ status: "failed", message });
  if (run.annotations[promotionAnnotations.snapshotStatus] === mark && !isHeld(run)) return;
  deps.log.warn("a build did not become a Snapshot", { run: run.name, namespace: run.namespace, problem: message });
  deps.metrics.buildRefused();
  await patchRun(run, deps, signal, { [promotionAnnotations.snapshotStatus]: mark, ...more });
}

/** A pushed build without an image says on the run why it did not enter the candidate list. */
function notCandidate(run: BuildRun, message: string, { clock }: BuildDeps): Readonly<Record<string, string>> {
  const isExpected = run.state === "succeeded" && isPushEvent(run);
  return isExpected ? { [promotionAnnotations.candidate]: refusalMark(message, clock.now()) } : {};
}

/** Lets go of the run, and says what became of it, in one write. */
async function patchRun(
  { object }: BuildRun,
  deps: BuildDeps,
  signal: AbortSignal,
  annotations: Readonly<Record<string, string>>,
): Promise<void> {
  const change = (current: KubeObject) => {
    const { finalizers = [] } = current.metadata;
    const left = finalizers.filter((each) => each !== promotionFinalizers.run);
    return {
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(left.length === finalizers.length ? {} : { finalizers: left }),
    };
  };
  const patched = await patchMetadata(object, change, deps.client, signal);
  if (patched) deps.runs.note(patched);
}
