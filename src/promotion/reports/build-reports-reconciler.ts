import { type Clock, describeError, InputError, type Logger } from "#base";
import { ForgeError } from "#forge";
import { keyOf, type KubeClient, type KubeObject, type ObjectStore } from "#kube";
import { done, type FreshStore, type Reconciler, requeueAfter } from "#runtime";
import { applicationOf, byComponent } from "../builds/build-reconciler.ts";
import { type BuildRun, isBuildRun, readBuildRun } from "../builds/build-run.ts";
import { patchMetadata } from "../builds/patch-metadata.ts";
import { promotionAnnotations } from "../kinds/promotion-names.ts";
import { readScenario } from "../scenarios/test-scenario.ts";
import { byOwner, ownerKey } from "../scenarios/testing-deps.ts";
import {
  type BuildReportDecision,
  decideBuildReport,
  handedOver,
  retriedMs,
  upcomingSnapshot,
  upcomingTests,
} from "./decide-build-report.ts";
import { findTarget } from "./report-destination.ts";
import type { ReportSettings } from "./report-settings.ts";
import type { BuildReportStatus } from "./report-state.ts";
import { sendReport } from "./send-report.ts";

export interface BuildReportDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: ReportSettings;
  readonly runs: FreshStore;
  readonly components: ObjectStore;
  readonly applications: FreshStore;
  readonly scenarios: ObjectStore;
  readonly mayWrite: () => boolean;
}

/** Says on the commit of a pull request that its tests wait for the build, until the Snapshot reports them itself. */
export function buildReportsReconciler(deps: BuildReportDeps): Reconciler {
  return async function reconcileBuildReport(key, signal) {
    const object = deps.runs.get(key);
    if (!object || !isBuildRun(object)) return done;
    const run = readBuildRun(object);
    const others = deps.runs
      .byIndex(byComponent, `${run.namespace}/${run.component}`)
      .filter((other) => keyOf(other) !== key)
      .map(readBuildRun);
    const now = deps.clock.now();
    const decision = decideBuildReport({ run, others, now });
    if (decision === undefined) return done;
    if (decision === handedOver) {
      await remember(run, decision, undefined, deps, signal);
      return done;
    }
    let failure: string | undefined;
    try {
      if (!(await report(run, decision, deps, signal))) return done;
    } catch (error) {
      signal.throwIfAborted();
      const isOver = run.state !== "running" && now - run.finishedAt > retriedMs;
      if (error instanceof InputError || (error instanceof ForgeError && isOver)) failure = describeError(error);
      else if (error instanceof ForgeError && error.retryAfterMs !== undefined) return requeueAfter(error.retryAfterMs);
      else throw error;
    }
    await remember(run, decision, failure, deps, signal);
    return done;
  };
}

/** False if there is nothing to report, as no scenario will test the Snapshot. */
async function report(
  run: BuildRun,
  status: BuildReportStatus,
  deps: BuildReportDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const component = deps.components.get(`${run.namespace}/${run.component}`);
  const application = component && applicationOf(component, deps);
  // The run says so already.
  if (!component || !application) return false;
  const owner = ownerKey(run.namespace, { kind: "Application", name: application.metadata.name });
  const snapshot = upcomingSnapshot(run, application);
  const tests = upcomingTests(snapshot, deps.scenarios.byIndex(byOwner, owner).map(readScenario));
  if (tests.length === 0) return false;
  const found = findTarget(snapshot, component);
  if (found.kind === "problem") throw new InputError(found.message);
  const lastUpdateTime = new Date(deps.clock.now()).toISOString();
  const reported = tests.map(({ name, isOptional }) => ({
    // The page of the run that the test waits for.
    entry: {
      scenario: name,
      status,
      lastUpdateTime,
      details: "",
      testPipelineRunName: run.name,
      isOptionalScenario: isOptional,
    },
    tasks: [],
  }));
  const subject = {
    namespace: run.namespace,
    snapshot: undefined,
    name: component.metadata.name,
    isGroup: false,
  };
  const due = new Set(tests.map(({ name }) => name));
  await sendReport({ target: found.target, subject, tests: reported, due, members: [] }, deps, signal);
  return true;
}

async function remember(
  run: BuildRun,
  decision: NonNullable<BuildReportDecision>,
  failure: string | undefined,
  { client, log, runs, mayWrite }: BuildReportDeps,
  signal: AbortSignal,
): Promise<void> {
  if (!mayWrite()) return;
  const { buildReport, reportFailure } = promotionAnnotations;
  const message = failure?.slice(0, 4_000) ?? null;
  const change = ({ metadata: { annotations = {} } }: KubeObject) => ({
    annotations: {
      [buildReport]: decision,
      ...(message === (annotations[reportFailure] ?? null) || decision === handedOver
        ? {}
        : { [reportFailure]: message }),
    },
  });
  const patched = await patchMetadata(run.object, change, client, signal);
  if (patched) runs.note(patched);
  const fields = { namespace: run.namespace, run: run.name, state: decision };
  if (message === null) log.info("state of a build reported", fields);
  else log.warn("state of a build cannot be reported", { ...fields, problem: message });
}
