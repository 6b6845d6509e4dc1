import { describeError, InputError } from "#base";
import { ForgeError } from "#forge";
import { done, type Reconciler, requeueAfter } from "#runtime";
import { patchMetadata } from "../builds/patch-metadata.ts";
import { promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import type { TestScenario } from "../scenarios/test-scenario.ts";
import { readSnapshot, type TestedSnapshot } from "../scenarios/tested-snapshot.ts";
import type { GroupState } from "../snapshots/decide-group.ts";
import { retriedMs, upcomingTests } from "./decide-build-report.ts";
import { findTarget } from "./report-destination.ts";
import { isReportable } from "./report-memory.ts";
import type { ReportDeps } from "./reports-reconciler.ts";
import { sendReport } from "./send-report.ts";

export interface GroupReportDeps extends Omit<ReportDeps, "builds" | "runsOf" | "runners"> {
  readonly scenariosOf: (snapshot: TestedSnapshot) => readonly TestScenario[];
  /** The Snapshots whose pull requests are being told; a group Snapshot reports after them. */
  readonly beingTold: Set<string>;
}

const forbidden: GroupState = "forbidden";
/** The mark of a Snapshot whose pull request cannot get a report. */
const failed = "failed";

/** Says on a pull request that its group is not tested, because the group Snapshot could not be created. */
export function groupReportsReconciler(deps: GroupReportDeps): Reconciler {
  return async function reconcileGroupReport(key, signal) {
    deps.beingTold.add(key);
    try {
      const object = deps.snapshots.get(key);
      const snapshot = object && readSnapshot(object);
      if (!snapshot || !awaitsGroupReport(snapshot)) return done;
      let failure: string | undefined;
      try {
        await report(snapshot, deps, signal);
      } catch (error) {
        signal.throwIfAborted();
        const age = deps.clock.now() - Date.parse(snapshot.object.metadata.creationTimestamp ?? "");
        if (error instanceof InputError || (error instanceof ForgeError && age > retriedMs)) {
          failure = describeError(error);
        } else if (error instanceof ForgeError && error.retryAfterMs !== undefined) {
          return requeueAfter(error.retryAfterMs);
        } else throw error;
      }
      await remember(snapshot, failure, deps, signal);
      return done;
    } finally {
      deps.beingTold.delete(key);
    }
  };
}

/** Whether the pull request of a Snapshot still lacks the report that its group cannot be tested. */
export function awaitsGroupReport(snapshot: TestedSnapshot): boolean {
  const { groupState, groupReport, reportFailure } = promotionAnnotations;
  const { [groupState]: state, [groupReport]: told, [reportFailure]: problem } = snapshot.annotations;
  if (snapshot.type !== "component" || state !== forbidden || !isReportable(snapshot)) return false;
  // A result that could be reported has removed the problem.
  return told === undefined || (told === failed && problem === undefined);
}

async function report(snapshot: TestedSnapshot, deps: GroupReportDeps, signal: AbortSignal): Promise<void> {
  const { namespace, component = "", annotations } = snapshot;
  const tests = upcomingTests(upcomingGroup(snapshot), deps.scenariosOf(snapshot));
  if (tests.length === 0) return;
  const found = findTarget(snapshot, deps.components.get(`${namespace}/${component}`));
  if (found.kind === "problem") throw new InputError(found.message);
  const lastUpdateTime = new Date(deps.clock.now()).toISOString();
  const reported = tests.map(({ name, isOptional }) => ({
    entry: {
      scenario: name,
      status: "GroupSnapshotCreationFailed" as const,
      lastUpdateTime,
      details: annotations[promotionAnnotations.groupStatus] ?? "",
      isOptionalScenario: isOptional,
    },
    tasks: [],
  }));
  const subject = { namespace, snapshot: undefined, name: "pr group", isGroup: true };
  const due = new Set(tests.map(({ name }) => name));
  await sendReport({ target: found.target, subject, tests: reported, due, members: [] }, deps, signal);
}

/** The group Snapshot that a Snapshot would belong to, as far as scenarios look at it. */
function upcomingGroup({ object }: TestedSnapshot): TestedSnapshot {
  const { [promotionLabels.component]: _, ...labels } = object.metadata.labels ?? {};
  const metadata = { ...object.metadata, labels: { ...labels, [promotionLabels.snapshotType]: "group" } };
  return readSnapshot({ ...object, metadata });
}

async function remember(
  { object, namespace, name }: TestedSnapshot,
  failure: string | undefined,
  { client, log, snapshots, mayWrite }: GroupReportDeps,
  signal: AbortSignal,
): Promise<void> {
  if (!mayWrite()) return;
  const { groupState, groupReport, reportFailure } = promotionAnnotations;
  const said =
    failure === undefined
      ? { [groupReport]: forbidden }
      : { [groupReport]: failed, [reportFailure]: `pr group: ${failure}`.slice(0, 4_000) };
  const patched = await patchMetadata(
    object,
    // If the group was created meanwhile, the report is no longer true.
    ({ metadata: { annotations: now = {} } }) => (now[groupState] === forbidden ? { annotations: said } : {}),
    client,
    signal,
  );
  if (patched) snapshots.note(patched);
  const fields = { namespace, snapshot: name };
  if (failure === undefined) log.info("missing group Snapshot reported", fields);
  else log.warn("missing group Snapshot cannot be reported", { ...fields, problem: failure });
}
