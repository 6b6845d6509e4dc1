import { compareText } from "#base";
import { promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import type { RunVerdict } from "./evaluate-run.ts";
import { consultGraph, parentsOf, type TestGraph } from "./test-graph.ts";
import { appliesTo, type TestScenario } from "./test-scenario.ts";
import {
  changeEntry,
  isFinal,
  parseTestStatuses,
  type TestStatusChange,
  type TestStatusEntry,
} from "./test-statuses.ts";
import type { TestedSnapshot } from "./tested-snapshot.ts";
import { testRunName } from "./test-run-metadata.ts";

/** More scenarios of one owner than these are not run: a Snapshot's annotation must hold all results. */
export const mostScenarios = 200;

export interface TestsObservation {
  readonly snapshot: TestedSnapshot;
  /** All scenarios of the Snapshot's owner. */
  readonly scenarios: readonly TestScenario[];
  readonly graph: TestGraph;
  /** The tests have finished: scenarios that came later wait for the next Snapshot. */
  readonly hasFinished: boolean;
  /** By the names of runs; undefined for one that does not exist. */
  readonly verdicts: ReadonlyMap<string, RunVerdict | undefined>;
  readonly now: number;
}

/** A test to start. */
export interface TestStart {
  readonly scenario: TestScenario;
  readonly runName: string;
}

export interface TestsDecision {
  readonly entries: readonly TestStatusEntry[];
  readonly starts: readonly TestStart[];
  /** The label that asks for a re-run has been dealt with. */
  readonly answersRerun: boolean;
  /** A re-run starts at least one test. */
  readonly isRerun: boolean;
  /** The scenarios that must pass. */
  readonly required: readonly string[];
  /** Scenarios that apply and are not run, because there are too many. */
  readonly refused: readonly string[];
}

/**
 * Which tests a Snapshot needs now. The annotation is the memory: a test that has a run is not started again, even if the run
 * is gone by now. A test that could not start yet remembers the name of its run.
 */
export function decideTests(observation: TestsObservation): TestsDecision {
  const { snapshot, scenarios, graph, hasFinished, now } = observation;
  const byAge = scenarios.toSorted(
    (one, other) => compareText(one.createdAt, other.createdAt) || compareText(one.name, other.name),
  );
  const applicable = byAge.filter((scenario) => appliesTo(scenario, snapshot));
  const run = applicable.slice(0, mostScenarios);
  const entries = new Map(
    recordedEntries(observation, new Set(run.map(({ name }) => name))).map((entry) => [entry.scenario, entry]),
  );
  const rerun = decideRerun(snapshot.labels[promotionLabels.rerun], scenarios, run, entries);
  const starts: TestStart[] = rerun.map((scenario) => ({
    scenario,
    runName: testRunName(snapshot, scenario.name, entries.get(scenario.name)?.testPipelineRunName),
  }));
  const upcoming = new Set(
    [...rerun, ...(hasFinished ? [] : run.filter(({ name }) => !entries.has(name)))].map(({ name }) => name),
  );
  for (const scenario of run) {
    const entry = entries.get(scenario.name);
    const isOpen = entry ? entry.status === "Pending" : !hasFinished;
    if (!isOpen || rerun.includes(scenario)) continue;
    if (entry?.testPipelineRunName !== undefined) {
      starts.push({ scenario, runName: entry.testPipelineRunName });
      continue;
    }
    const set = (change: TestStatusChange) =>
      entries.set(scenario.name, changeEntry(entry, scenario.name, { ...ofScenario(scenario, graph), ...change }, now));
    const verdict = consultGraph(scenario.name, graph, [...entries.values()], upcoming);
    switch (verdict.kind) {
      case "start":
        starts.push({ scenario, runName: testRunName(snapshot, scenario.name, undefined) });
        break;
      case "wait":
        set({ status: "Pending", details: `waits for ${verdict.parents.join(", ")}` });
        break;
      case "cancel":
        set({ status: "TestFail", details: `cancelled, because ${verdict.parent} failed` });
        break;
      case "cycle":
        set({ status: "TestInvalid", details: "waits for itself: remove the cycle from spec.testGraph" });
        break;
    }
  }
  return {
    entries: [...entries.values()],
    starts,
    answersRerun: snapshot.labels[promotionLabels.rerun] !== undefined,
    isRerun: rerun.length > 0,
    required: run.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
    refused: applicable.slice(mostScenarios).map(({ name }) => name),
  };
}

/** What every entry of a scenario says of it. */
export function ofScenario({ name, isOptional }: TestScenario, graph: TestGraph): Partial<TestStatusChange> {
  const runAfter = parentsOf(name, graph).map((parent) => parent.name);
  return { isOptionalScenario: isOptional, ...(runAfter.length > 0 ? { runAfter } : {}) };
}

/** The entries so far, with what the runs say now. One whose scenario is gone is dropped, and one that never ran and no longer applies. */
function recordedEntries(
  { snapshot, scenarios, graph, verdicts, now }: TestsObservation,
  running: ReadonlySet<string>,
): TestStatusEntry[] {
  const known = new Map(scenarios.map((scenario) => [scenario.name, scenario]));
  return parseTestStatuses(snapshot.annotations[promotionAnnotations.testStatus]).flatMap((entry) => {
    const scenario = known.get(entry.scenario);
    const { testPipelineRunName } = entry;
    if (!scenario || (!running.has(entry.scenario) && testPipelineRunName === undefined)) return [];
    if (entry.status !== "InProgress" || testPipelineRunName === undefined) return [entry];
    const verdict = verdicts.get(testPipelineRunName) ?? {
      status: "Deleted",
      details: "the run was deleted before it finished; run the test again",
    };
    const change = { ...ofScenario(scenario, graph), ...verdict, testPipelineRunName };
    return [changeEntry(entry, entry.scenario, change, now)];
  });
}

/** `all` runs what applies again, a name runs that scenario whatever its contexts are; what runs already is left alone. */
function decideRerun(
  label: string | undefined,
  scenarios: readonly TestScenario[],
  applicable: readonly TestScenario[],
  entries: ReadonlyMap<string, TestStatusEntry>,
): readonly TestScenario[] {
  if (label === undefined) return [];
  const asked = label === "all" ? applicable : scenarios.filter(({ name }) => name === label);
  return asked.filter(({ name }) => {
    const entry = entries.get(name);
    return !entry || isFinal(entry.status);
  });
}
