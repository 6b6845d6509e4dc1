import { type Clock, describeError, InputError, type Logger } from "#base";
import { ForgeError } from "#forge";
import type { KubeObject, KubeClient, ObjectStore } from "#kube";
import { done, type FreshStore, type Reconciler, requeueAfter, type Result } from "#runtime";
import { patchMetadata } from "../builds/patch-metadata.ts";
import { readBuildRun } from "../builds/build-run.ts";
import { promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import { jobKind } from "../runners/job/test-job.ts";
import type { TestRunner } from "../runners/test-runner.ts";
import { isFinal, parseTestStatuses, type TestStatusEntry } from "../scenarios/test-statuses.ts";
import { readSnapshot, type TestedSnapshot } from "../scenarios/tested-snapshot.ts";
import { awaitsBuildReport, retriedMs } from "./decide-build-report.ts";
import { awaitsGroupReport } from "./group-reports-reconciler.ts";
import { destinationsOf, findTarget, type ReportDestination } from "./report-destination.ts";
import {
  formatReportMemory,
  isDue,
  isReportable,
  parseReportMemory,
  type ReportMemory,
  reportKey,
} from "./report-memory.ts";
import type { ReportSettings } from "./report-settings.ts";
import type { ReportedTest } from "./report-text.ts";
import { sendReport } from "./send-report.ts";

export interface ReportDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: ReportSettings;
  readonly snapshots: FreshStore;
  readonly components: ObjectStore;
  /** The PipelineRuns that build. */
  readonly builds: Pick<ObjectStore, "get">;
  /** The PipelineRuns and the Jobs that test a Snapshot. */
  readonly runsOf: (snapshotKey: string) => readonly KubeObject[];
  readonly runners: { readonly tekton: TestRunner; readonly job: TestRunner };
  /** The Snapshots whose pull requests are being told that their group is not tested. */
  readonly beingTold: ReadonlySet<string>;
  readonly mayWrite: () => boolean;
}

/** Reports the results of one Snapshot, and remembers on it what was reported. */
export function reportsReconciler(deps: ReportDeps): Reconciler {
  return async function reconcileReports(key, signal) {
    const object = deps.snapshots.get(key);
    if (!object || object.metadata.deletionTimestamp !== undefined) return done;
    const snapshot = readSnapshot(object);
    const entries = parseTestStatuses(snapshot.annotations[promotionAnnotations.testStatus]);
    if (entries.length === 0 || !isReportable(snapshot)) return done;
    // Otherwise "waits for the build" could reach the forge after the result, and stay. The run brings this back.
    const build = deps.builds.get(`${snapshot.namespace}/${snapshot.labels[promotionLabels.buildRun] ?? ""}`);
    if (build && awaitsBuildReport(readBuildRun(build), deps.clock.now())) return done;
    const memory = parseReportMemory(snapshot.annotations[promotionAnnotations.reportStatus]);
    const destinations = destinationsOf(snapshot);
    const open = destinations.filter(({ snapshot: to }) => entries.some((entry) => isDue(entry, to, memory)));
    if (open.length === 0) return done;
    if (
      snapshot.type === "group" &&
      destinations.some((to) => isBeingTold(`${snapshot.namespace}/${to.snapshot}`, deps))
    ) {
      return requeueAfter(memberMs);
    }
    const tests = await observeTests(key, entries, deps, signal);
    const outcomes: Outcome[] = [];
    for (const destination of open) outcomes.push(await report(snapshot, destination, tests, memory, deps, signal));
    await remember(snapshot, entries, destinations, outcomes, memory, deps, signal);
    return resultOf(outcomes);
  };
}

/** How often a group looks whether its members have been told. */
const memberMs = 1_000;

/** Otherwise "could not be created" could reach the forge after the results, and stay. */
function isBeingTold(member: string, { snapshots, beingTold }: ReportDeps): boolean {
  const object = snapshots.get(member);
  return beingTold.has(member) || (object !== undefined && awaitsGroupReport(readSnapshot(object)));
}

type Outcome = { readonly destination: ReportDestination } & (
  | { readonly kind: "reported" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "retry"; readonly error: unknown; readonly afterMs: number | undefined }
);

async function report(
  snapshot: TestedSnapshot,
  destination: ReportDestination,
  tests: readonly ReportedTest[],
  memory: ReportMemory,
  deps: ReportDeps,
  signal: AbortSignal,
): Promise<Outcome> {
  const { namespace, annotations } = snapshot;
  const isGroup = snapshot.type === "group";
  const source = isGroup ? deps.snapshots.get(`${namespace}/${destination.snapshot}`) : snapshot.object;
  if (!source) return { destination, kind: "failed", message: `Snapshot ${destination.snapshot} of the group is gone` };
  const found = findTarget(readSnapshot(source), deps.components.get(`${namespace}/${destination.component}`));
  if (found.kind === "problem") return { destination, kind: "failed", message: found.message };
  // After a failure it is not known what the forge has, so it gets everything.
  const isBroken = annotations[promotionAnnotations.reportFailure] !== undefined;
  const due = tests.filter(({ entry }) => isBroken || isDue(entry, destination.snapshot, memory));
  const subject = { namespace, snapshot: snapshot.name, name: isGroup ? "pr group" : destination.component, isGroup };
  const members = isGroup ? destinationsOf(snapshot) : [];
  try {
    const names = new Set(due.map(({ entry }) => entry.scenario));
    await sendReport({ target: found.target, subject, tests, due: names, members }, deps, signal);
    return { destination, kind: "reported" };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof InputError) return { destination, kind: "failed", message: describeError(error) };
    if (!(error instanceof ForgeError)) throw error;
    const age = deps.clock.now() - Date.parse(snapshot.object.metadata.creationTimestamp ?? "");
    if (age > retriedMs) {
      return {
        destination,
        kind: "failed",
        message: `${describeError(error)}; gave up, as the Snapshot is older than 3 h`,
      };
    }
    return { destination, kind: "retry", error, afterMs: error.retryAfterMs };
  }
}

/** The tests with the tasks of the runs that have finished, as far as they are still there. */
async function observeTests(
  key: string,
  entries: readonly TestStatusEntry[],
  { runsOf, runners }: ReportDeps,
  signal: AbortSignal,
): Promise<ReportedTest[]> {
  const runs = runsOf(key);
  return Promise.all(
    entries.map(async (entry) => {
      const run = runs.find(({ metadata }) => metadata.name === entry.testPipelineRunName);
      if (!run || !isFinal(entry.status)) return { entry, tasks: [] };
      const runner = run.kind === jobKind.kind ? runners.job : runners.tekton;
      return { entry, tasks: (await runner.observe(run, signal)).tasks };
    }),
  );
}

/** One write: what was reported, and what could not be. */
async function remember(
  snapshot: TestedSnapshot,
  entries: readonly TestStatusEntry[],
  destinations: readonly ReportDestination[],
  outcomes: readonly Outcome[],
  before: ReportMemory,
  deps: ReportDeps,
  signal: AbortSignal,
): Promise<void> {
  const settled = new Set(
    outcomes.filter(({ kind }) => kind !== "retry").map(({ destination }) => destination.snapshot),
  );
  if (settled.size === 0 || !deps.mayWrite()) return;
  const memory = new Map(
    destinations.flatMap(({ snapshot: to }) =>
      entries.flatMap(({ scenario, lastUpdateTime }) => {
        const key = reportKey(scenario, to);
        const time = settled.has(to) ? Date.parse(lastUpdateTime) : before.get(key);
        return time === undefined || !Number.isFinite(time) ? [] : [[key, time] as const];
      }),
    ),
  );
  const failures = outcomes.flatMap((one) =>
    one.kind === "failed" ? [`${one.destination.component}: ${one.message}`] : [],
  );
  const failure = failures.length === 0 ? null : failures.join("; ").slice(0, 4_000);
  const known = snapshot.annotations[promotionAnnotations.reportFailure] ?? null;
  const isComplete = outcomes.every(({ kind }) => kind === "reported");
  const annotations = {
    [promotionAnnotations.reportStatus]: formatReportMemory(memory),
    ...(failure !== known && (failure !== null || isComplete) ? { [promotionAnnotations.reportFailure]: failure } : {}),
  };
  const written = await patchMetadata(snapshot.object, () => ({ annotations }), deps.client, signal);
  if (written) deps.snapshots.note(written);
  const fields = { namespace: snapshot.namespace, snapshot: snapshot.name };
  if (failure === null) deps.log.info("test results reported", fields);
  else deps.log.warn("test results cannot be reported", { ...fields, problem: failure });
}

function resultOf(outcomes: readonly Outcome[]): Result {
  const failed = outcomes.flatMap((outcome) => (outcome.kind === "retry" ? [outcome] : []));
  const [first] = failed;
  if (!first) return done;
  const waits = failed.flatMap(({ afterMs }) => (afterMs === undefined ? [] : [afterMs]));
  if (waits.length === 0) throw first.error;
  return requeueAfter(Math.max(...waits));
}
