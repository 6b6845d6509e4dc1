import { composeSnapshot, describeBuildRun } from "../builds/compose-snapshot.ts";
import { isPushEvent } from "../builds/build-event.ts";
import { type BuildRun, snapshotsOf } from "../builds/build-run.ts";
import { promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import { mostScenarios } from "../scenarios/decide-tests.ts";
import { appliesTo, type TestScenario } from "../scenarios/test-scenario.ts";
import { readSnapshot, type TestedSnapshot } from "../scenarios/tested-snapshot.ts";
import type { BuildReportStatus } from "./report-state.ts";
import type { KubeObject } from "#kube";

/** A forge that fails is asked again while the Snapshot is younger than this, or the end of the build. */
export const retriedMs = 3 * 60 * 60_000;

/** The mark of a run whose tests are reported by its Snapshot. */
export const handedOver = "SnapshotCreated";

export interface BuildReportObservation {
  readonly run: BuildRun;
  /** The other runs that build the component. */
  readonly others: readonly BuildRun[];
  readonly now: number;
}

/** What to report of the tests that wait for a build; undefined if nothing changed. */
export type BuildReportDecision = BuildReportStatus | typeof handedOver | undefined;

/** Only of pull requests: they must not be merged between their build and its tests. */
export function decideBuildReport({ run, others, now }: BuildReportObservation): BuildReportDecision {
  if (snapshotsOf(run).length > 0) return awaitsBuildReport(run, now) ? handedOver : undefined;
  if (isPushEvent(run) || isLongOver(run, now) || others.some((other) => isNewer(other, run))) return undefined;
  const status = statusOf(run);
  return status === run.annotations[promotionAnnotations.buildReport] ? undefined : status;
}

/** Whether a report of the build may still be on its way, so that one of its Snapshot would be overwritten. */
export function awaitsBuildReport(run: BuildRun, now: number): boolean {
  const reported = run.annotations[promotionAnnotations.buildReport];
  if (isPushEvent(run) || reported === handedOver) return false;
  return reported !== undefined || !isLongOver(run, now);
}

function statusOf({ state, isDeleting, annotations }: BuildRun): BuildReportStatus {
  if (state === "failed" || (isDeleting && state === "running")) return "BuildPLRFailed";
  const outcome = annotations[promotionAnnotations.snapshotStatus];
  return outcome !== undefined && state === "succeeded" ? "SnapshotCreationFailed" : "BuildPLRInProgress";
}

/** A build that ended before Tenon was installed is not reported. */
function isLongOver({ state, finishedAt }: BuildRun, now: number): boolean {
  return state !== "running" && now - finishedAt > retriedMs;
}

function isNewer(one: BuildRun, other: BuildRun): boolean {
  const group = one.labels[promotionLabels.pullRequestGroup];
  return (
    group !== undefined && group === other.labels[promotionLabels.pullRequestGroup] && one.startedAt > other.startedAt
  );
}

/** The component Snapshot that a build will become, as far as scenarios and reports look at it. */
export function upcomingSnapshot(run: BuildRun, application: KubeObject): TestedSnapshot {
  const { labels, annotations } = describeBuildRun(run);
  const parts = { application, type: "component", components: [], labels, annotations } as const;
  const { metadata, ...rest } = composeSnapshot(parts);
  return readSnapshot({ ...rest, metadata: { ...metadata, name: "" } });
}

/** The scenarios that will test the Snapshot. */
export function upcomingTests(snapshot: TestedSnapshot, scenarios: readonly TestScenario[]): readonly TestScenario[] {
  return scenarios.filter((scenario) => appliesTo(scenario, snapshot)).slice(0, mostScenarios);
}
