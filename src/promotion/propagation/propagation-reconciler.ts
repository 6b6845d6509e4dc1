import { parseDuration } from "#base";
import type { KubeObject } from "#kube";
import {
  done,
  type FreshStore,
  isTerminal,
  type Reconciler,
  requeueAfter,
  type Result,
  type TrackedStatus,
  trackStatus,
} from "#runtime";
import { Propagation } from "../kinds/propagation.ts";
import { askedWaitMs } from "./explain-propagation-error.ts";
import { PropagationRun, type PropagationRunDeps } from "./propagation-run.ts";
import type { AdvertisedSource } from "./read-source.ts";
import { refuseCircle } from "./stage-target.ts";

export interface PropagationDeps extends PropagationRunDeps {
  readonly random: () => number;
  readonly propagations: FreshStore;
  /** What the source of a Propagation advertises now. */
  readonly readSource: (propagation: Propagation, signal: AbortSignal) => Promise<AdvertisedSource>;
  readonly mayWrite: () => boolean;
}

const defaultIntervalMs = 5 * 60_000;

/** Follows the tags of a Propagation through its stages. */
export function propagationReconciler(deps: PropagationDeps): Reconciler {
  return async function reconcilePropagation(key, signal): Promise<Result> {
    const object = deps.propagations.get(key);
    if (!object || object.metadata.deletionTimestamp !== undefined) {
      deps.looks.forget(key);
      return done; // pull requests stay: they belong to the repository
    }
    const { clock, mayWrite } = deps;
    const status = trackStatus(object, deps.client, { clock, mayWrite });
    try {
      return await followTags(key, object, status, deps, signal);
    } finally {
      await status.write();
      if (!status.isGone) deps.propagations.note(status.object);
    }
  };
}

async function followTags(
  key: string,
  object: KubeObject,
  status: TrackedStatus,
  deps: PropagationDeps,
  signal: AbortSignal,
): Promise<Result> {
  const interval = (ms: number) => requeueAfter(ms * (0.9 + 0.2 * deps.random()));
  let propagation: Propagation;
  try {
    propagation = readPropagation(object);
    refuseCircle(propagation.spec.stages);
  } catch (error) {
    throw status.stalled("InvalidSpec", error);
  }
  const { spec } = propagation;
  if (spec.suspend) {
    status.setCondition({ type: "Ready", status: "False", reason: "Suspended", message: spec.suspend.reason });
    for (const type of ["Reconciling", "Stalled"]) status.removeCondition(type);
    return done;
  }
  const intervalMs = parseDuration(spec.source.interval ?? "") ?? defaultIntervalMs;
  let source: AdvertisedSource;
  try {
    source = await deps.readSource(propagation, signal);
  } catch (error) {
    const failure = status.failed("SourceFailed", error);
    return isTerminal(failure) ? interval(intervalMs) : retryAfter(failure);
  }
  const run = new PropagationRun(key, propagation, source, status, deps);
  for (const stage of spec.stages) await run.advance(stage, signal);
  run.publish();
  const { failures, dueAt } = run;
  const dueMs = dueAt === undefined ? undefined : Math.max(dueAt - deps.clock.now(), 1_000);
  const failed = failures.find((error) => !isTerminal(error)) ?? failures[0];
  if (failed === undefined) {
    status.ready(run.summary());
    return dueMs !== undefined && dueMs < intervalMs ? requeueAfter(dueMs) : interval(intervalMs);
  }
  const failure = status.failed("StageFailed", failed);
  return isTerminal(failure) ? interval(intervalMs) : retryAfter(failure);
}

/** Waits as long as the registry or the forge asks, or else longer and longer. */
function retryAfter(failure: Error): Result {
  const askedMs = askedWaitMs(failure);
  if (askedMs === undefined) throw failure;
  return requeueAfter(askedMs);
}

/** A status from a backup, or of another version, is not believed. */
function readPropagation(object: KubeObject): Propagation {
  try {
    return Propagation.parse(object);
  } catch {
    const { status: _, ...rest } = object;
    return Propagation.parse(rest);
  }
}
