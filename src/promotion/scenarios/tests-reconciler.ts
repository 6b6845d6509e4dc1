import { Semaphore } from "#base";
import { ApiError, keyOf, type KubeObject, refOf } from "#kube";
import {
  type ConditionChange,
  done,
  hasFinalizer,
  preconditions,
  type Reconciler,
  removeFinalizer,
  requeueAfter,
  type Result,
} from "#runtime";
import {
  promotionAnnotations,
  promotionFinalizers,
  promotionLabels,
  snapshotConditions,
} from "../kinds/promotion-names.ts";
import { IntegrationTestScenario } from "../kinds/integration-test-scenario.ts";
import { jobKind } from "../runners/job/test-job.ts";
import { pipelineRunKind } from "../runners/tekton/test-pipeline-run.ts";
import type { StartedRun, TestRunner } from "../runners/test-runner.ts";
import { trackUpstreamStatus } from "../snapshots/snapshot-condition.ts";
import { cancelTests, concludeTests, phaseOf, refuseTests, type TestsPhase } from "./conclude-tests.ts";
import { decideTests, ofScenario, type TestsDecision, type TestStart } from "./decide-tests.ts";
import { evaluateRun, type RunVerdict } from "./evaluate-run.ts";
import { isSuperseded, supersessionSet } from "./is-superseded.ts";
import { chooseTimeouts } from "./run-timeouts.ts";
import { readTestGraph, type TestGraph } from "./test-graph.ts";
import { readScenario, type TestScenario } from "./test-scenario.ts";
import {
  changeEntry,
  formatTestStatuses,
  isFinal,
  parseTestStatuses,
  roomForResults,
  type TestStatusEntry,
} from "./test-statuses.ts";
import { ownerIn, readSnapshot, type SnapshotOwner, type TestedSnapshot } from "./tested-snapshot.ts";
import { byOwner, bySupersession, ownerKey, type TestingDeps } from "./testing-deps.ts";

/** How long a test may wait for its start before it counts as invalid. */
const longestWaitMs = 60 * 60_000;
const mostStartsAtOnce = 8;
/** After a conflict the watch needs a moment to deliver the newer Snapshot. */
const conflictMs = 50;
/** The same for a scenario that the server has and the watch has not delivered. */
const unseenMs = 200;

/** Brings the tests of one Snapshot further: starts runs, notes results, and concludes. */
export function testsReconciler(deps: TestingDeps): Reconciler {
  return async function reconcileTests(key, signal) {
    const object = deps.snapshots.get(key);
    const runs = deps.runsOf(key);
    if (!object || object.metadata.deletionTimestamp !== undefined) return releaseRuns(runs, deps, signal);
    const snapshot = readSnapshot(object);
    const phase = phaseOf(object);
    const owner = snapshot.owner && deps.ownerOf(snapshot.owner.kind, `${snapshot.namespace}/${snapshot.owner.name}`);
    if (!snapshot.owner || !owner) return done; // the controller of Snapshots says so
    if (phase === "canceled" || phase === "invalid") return cancelRuns(runs, deps, signal);
    if (phase !== "finished" && isOutdated(snapshot, deps)) {
      await writeConditions(snapshot, phase, cancelTests(), deps);
      return cancelRuns(runs, deps, signal);
    }
    return test(snapshot, snapshot.owner, phase, { runs, graph: readTestGraph(owner["spec"]) }, deps, signal);
  };
}

interface Surroundings {
  readonly runs: readonly KubeObject[];
  readonly graph: TestGraph;
}

async function test(
  snapshot: TestedSnapshot,
  owner: SnapshotOwner,
  phase: TestsPhase,
  { runs, graph }: Surroundings,
  deps: TestingDeps,
  signal: AbortSignal,
): Promise<Result> {
  const scenarios = deps.scenarios.byIndex(byOwner, ownerKey(snapshot.namespace, owner)).map(readScenario);
  const now = deps.clock.now();
  const decision = decideTests({
    snapshot,
    scenarios,
    graph,
    hasFinished: phase === "finished",
    verdicts: await readVerdicts(snapshot, scenarios, runs, deps, signal),
    now,
  });
  const mayWriteMore = phase !== "finished" || decision.starts.length > 0;
  if (mayWriteMore && !hasRoom(snapshot, decision)) {
    await writeConditions(snapshot, phase, refuseTests(), deps);
    return done;
  }
  if (decision.isRerun && phase === "finished") {
    // Before the label is removed: after a kill nothing else would say that the tests have not finished.
    await writeConditions(snapshot, phase, concludeTests({ ...decision, phase }), deps);
    return requeueAfter(conflictMs);
  }
  const started = await startTests(snapshot, decision, graph, deps, signal);
  const written = await writeEntries(snapshot, started.entries, decision.answersRerun, deps, signal);
  if (!written) return requeueAfter(conflictMs);
  const conclusion = { ...decision, phase, entries: started.entries };
  const changes = concludeTests(conclusion);
  if (isPassing(changes) && (await hasUnseenScenario(snapshot, owner, scenarios, deps, signal))) {
    return requeueAfter(unseenMs);
  }
  const noPlan = await sayNoPlan(written, changes, phase, deps, signal);
  await writeConditions(written, phase, [...changes, ...noPlan], deps);
  await releaseReported(written, started.entries, runs, deps, signal);
  if (started.failures.length > 0) throw started.failures[0];
  return started.afterMs === undefined ? done : requeueAfter(started.afterMs);
}

/** Whether the annotation can hold all results, if need be without their details. */
function hasRoom({ object }: TestedSnapshot, { entries, starts }: TestsDecision): boolean {
  const started = starts.map(({ scenario, runName }) =>
    changeEntry(undefined, scenario.name, { status: "InProgress", details: "", testPipelineRunName: runName }, 0),
  );
  const isStarted = ({ scenario }: TestStatusEntry) => started.some((entry) => entry.scenario === scenario);
  const all = [...started, ...entries.filter((entry) => !isStarted(entry))];
  return Buffer.byteLength(formatTestStatuses(all, 0)) <= roomForResults(object);
}

/** What the runs of entries that are in progress say now. */
async function readVerdicts(
  { annotations, namespace }: TestedSnapshot,
  scenarios: readonly TestScenario[],
  runs: readonly KubeObject[],
  deps: TestingDeps,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, RunVerdict | undefined>> {
  const verdicts = new Map<string, RunVerdict | undefined>();
  for (const { scenario, status, testPipelineRunName: name } of parseTestStatuses(
    annotations[promotionAnnotations.testStatus],
  )) {
    const known = scenarios.find((candidate) => candidate.name === scenario);
    if (status !== "InProgress" || name === undefined || !known) continue;
    // A store may not have a run yet that was just created.
    const run =
      runs.find(({ metadata }) => metadata.name === name) ??
      (await findRun({ ...(known.resolver === "builtin" ? jobKind : pipelineRunKind), namespace, name }, deps, signal));
    verdicts.set(name, run && evaluateRun(await runnerOf(run, deps).observe(run, signal)));
  }
  return verdicts;
}

async function findRun(
  ref: Parameters<TestingDeps["client"]["find"]>[0],
  { client }: TestingDeps,
  signal: AbortSignal,
) {
  const resources = await client.discovery.resources(signal);
  const isServed = resources.some(({ apiVersion, kind }) => apiVersion === ref.apiVersion && kind === ref.kind);
  return isServed ? client.find(ref, signal) : undefined;
}

interface StartedTests {
  readonly entries: readonly TestStatusEntry[];
  /** When a test that waits is to be tried again. */
  readonly afterMs: number | undefined;
  /** Of tests that are tried again; the others are not affected. */
  readonly failures: readonly unknown[];
}

async function startTests(
  snapshot: TestedSnapshot,
  { entries, starts }: TestsDecision,
  graph: TestGraph,
  deps: TestingDeps,
  signal: AbortSignal,
): Promise<StartedTests> {
  const slots = new Semaphore(mostStartsAtOnce);
  const outcomes = await Promise.allSettled(
    starts.map((start) => slots.run(() => startTest(snapshot, start, deps, signal), signal)),
  );
  const results = new Map(entries.map((entry) => [entry.scenario, entry]));
  const failures: unknown[] = [];
  let afterMs: number | undefined;
  for (const [index, { scenario, runName }] of starts.entries()) {
    const outcome = outcomes[index];
    if (outcome?.status !== "fulfilled") {
      failures.push(outcome?.reason);
      continue;
    }
    const before = results.get(scenario.name);
    const change = { ...ofScenario(scenario, graph), ...stateOf(outcome.value, before, deps.clock.now()) };
    const entry = { ...change, testPipelineRunName: runName };
    results.set(scenario.name, changeEntry(before, scenario.name, entry, deps.clock.now()));
    if (outcome.value.kind === "waiting") afterMs = Math.min(afterMs ?? Infinity, outcome.value.afterMs);
  }
  return { entries: [...results.values()], afterMs, failures };
}

function stateOf(
  started: StartedRun,
  before: TestStatusEntry | undefined,
  now: number,
): Pick<TestStatusEntry, "status" | "details"> {
  if (started.kind === "started") return { status: "InProgress", details: "the test is running" };
  if (started.kind === "refused") return { status: "TestInvalid", details: started.message };
  const since = before?.status === "Pending" ? Date.parse(before.lastUpdateTime) : now;
  const isOver = now - since > longestWaitMs && before?.details === started.message;
  return isOver
    ? { status: "TestInvalid", details: `${started.message}; gave up after an hour` }
    : { status: "Pending", details: started.message };
}

async function startTest(
  snapshot: TestedSnapshot,
  { scenario, runName }: TestStart,
  deps: TestingDeps,
  signal: AbortSignal,
): Promise<StartedRun> {
  const { timeouts, problems } = chooseTimeouts(deps.timeouts, scenario.annotations);
  for (const problem of problems) deps.log.warn("a timeout is ignored", { scenario: scenario.name, problem });
  const runner = scenario.resolver === "builtin" ? deps.runners.job : deps.runners.tekton;
  const logUrl = deps.logUrlOf(snapshot.namespace, runName);
  const request = { name: runName, snapshot, scenario, timeouts, ...(logUrl === undefined ? {} : { logUrl }) };
  const started = await runner.start(request, signal);
  if (started.kind === "started") measureStart(snapshot, deps);
  return started;
}

function measureStart({ object, labels }: TestedSnapshot, { clock, metrics }: TestingDeps): void {
  metrics.runCreated();
  if (labels[promotionLabels.rerun] !== undefined) return;
  const createdAt = Date.parse(object.metadata.creationTimestamp ?? "");
  if (Number.isFinite(createdAt)) metrics.started(Math.max(clock.now() - createdAt, 0) / 1_000);
}

/** The Snapshot with its results written; undefined if someone else changed it meanwhile, so that everything is read again. */
async function writeEntries(
  snapshot: TestedSnapshot,
  entries: readonly TestStatusEntry[],
  answersRerun: boolean,
  deps: TestingDeps,
  signal: AbortSignal,
): Promise<TestedSnapshot | undefined> {
  const { object, annotations } = snapshot;
  const before = annotations[promotionAnnotations.testStatus];
  const text =
    entries.length === 0 && before === undefined ? undefined : formatTestStatuses(entries, roomForResults(object));
  if (text === before && !answersRerun) return snapshot;
  if (!deps.mayWrite()) return undefined;
  const body = {
    metadata: {
      ...preconditions(object),
      ...(text === before ? {} : { annotations: { [promotionAnnotations.testStatus]: text ?? null } }),
      ...(answersRerun ? { labels: { [promotionLabels.rerun]: null } } : {}),
    },
  };
  try {
    const written = await deps.client.patch(refOf(object), { type: "merge", body }, signal);
    deps.snapshots.note(written);
    return readSnapshot(written);
  } catch (error) {
    if (error instanceof ApiError && (error.isConflict || error.isNotFound)) return undefined;
    throw error;
  }
}

async function writeConditions(
  { object, labels }: TestedSnapshot,
  phase: TestsPhase,
  changes: readonly ConditionChange[],
  { client, clock, metrics, mayWrite, snapshots }: TestingDeps,
): Promise<void> {
  const status = trackUpstreamStatus(object, client, { clock, mayWrite });
  for (const change of changes) status.setCondition(change);
  await status.write();
  if (!status.isGone && status.object !== object) snapshots.note(status.object);
  const outcome = changes.find(({ type }) => type === snapshotConditions.integration)?.status;
  const builtAt = Number(labels[promotionLabels.buildFinished] ?? Number.NaN);
  if (phase === "new" && outcome === "Unknown" && Number.isFinite(builtAt)) {
    metrics.responded(Math.max(clock.now() / 1_000 - builtAt, 0));
  }
  if (outcome !== "True" || phase === "finished" || phase === "canceled") return;
  const seconds = (clock.now() - Date.parse(object.metadata.creationTimestamp ?? "")) / 1_000;
  for (const { type, reason } of changes) metrics.concluded(type, reason, Number.isFinite(seconds) ? seconds : 0);
}

function isPassing(changes: readonly ConditionChange[]): boolean {
  return changes.some(({ type, status }) => type === snapshotConditions.tests && status === "True");
}

/** The store lags behind: a Snapshot that passes must not have passed without a scenario that was created before. */
async function hasUnseenScenario(
  { namespace }: TestedSnapshot,
  owner: SnapshotOwner,
  seen: readonly TestScenario[],
  { client }: TestingDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const { apiVersion, kind } = IntegrationTestScenario;
  const { items } = await client.list({ apiVersion, kind, namespace }, signal);
  const known = new Set(seen.map(({ name }) => name));
  return items.some(({ metadata, spec }) => {
    const named = ownerIn(spec);
    return named?.kind === owner.kind && named.name === owner.name && !known.has(metadata.name);
  });
}

/** A pushed Snapshot that passed says so if no plan asks for its release: otherwise its owner would wait for one. */
async function sayNoPlan(
  { object, namespace, owner, isPush, labels }: TestedSnapshot,
  changes: readonly ConditionChange[],
  phase: TestsPhase,
  { hasReleasePlan }: TestingDeps,
  signal: AbortSignal,
): Promise<ConditionChange[]> {
  if (!isPassing(changes) || phase === "finished" || !isPush || labels[promotionLabels.autoRelease] === "false")
    return [];
  if (owner === undefined || (await hasReleasePlan(namespace, owner, signal))) return [];
  const message = `${object.metadata.name} passed its tests; no ReleasePlan of ${owner.name} asks for a release`;
  return [{ type: snapshotConditions.released, status: "True", reason: "AutoReleased", message }];
}

function isOutdated(snapshot: TestedSnapshot, { snapshots }: TestingDeps): boolean {
  const set = supersessionSet(snapshot);
  return set !== undefined && isSuperseded(snapshot, snapshots.byIndex(bySupersession, set).map(readSnapshot));
}

async function cancelRuns(runs: readonly KubeObject[], deps: TestingDeps, signal: AbortSignal): Promise<Result> {
  for (const run of runs) {
    if (hasFinalizer(run, promotionFinalizers.run)) await runnerOf(run, deps).cancel(run, signal);
  }
  return done;
}

/** The Snapshot is gone: nothing may keep its runs. */
async function releaseRuns(runs: readonly KubeObject[], { client }: TestingDeps, signal: AbortSignal): Promise<Result> {
  for (const run of runs) await removeFinalizer(run, promotionFinalizers.run, client, signal);
  return done;
}

/** A run keeps its TaskRuns until its result is noted and reported. A run of no entry is not kept. */
async function releaseReported(
  { object }: TestedSnapshot,
  entries: readonly TestStatusEntry[],
  runs: readonly KubeObject[],
  { client, isReported }: TestingDeps,
  signal: AbortSignal,
): Promise<void> {
  for (const run of runs) {
    if (!hasFinalizer(run, promotionFinalizers.run)) continue;
    const entry = entries.find(({ testPipelineRunName }) => testPipelineRunName === run.metadata.name);
    const isNeeded = entry !== undefined && (!isFinal(entry.status) || !isReported(object, entry.scenario));
    if (!isNeeded) await removeFinalizer(run, promotionFinalizers.run, client, signal);
  }
}

function runnerOf({ kind }: KubeObject, { runners }: TestingDeps): TestRunner {
  return kind === jobKind.kind ? runners.job : runners.tekton;
}

/** The Snapshot that a run tests, by its label. */
export function snapshotKeyOf({ metadata: { namespace = "", labels = {} } }: KubeObject): string | undefined {
  const name = labels[promotionLabels.snapshot];
  return name === undefined ? undefined : `${namespace}/${name}`;
}

/** The Snapshots that a change of their owner or of its scenarios concerns: those whose tests have not ended. */
export function openSnapshots(snapshots: readonly KubeObject[]): string[] {
  return snapshots.filter((snapshot) => ["new", "running"].includes(phaseOf(snapshot))).map(keyOf);
}
