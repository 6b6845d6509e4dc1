import { describe, expect, test } from "vitest";
import { promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import { decideTests, mostScenarios, type TestsObservation } from "./decide-tests.ts";
import { sampleScenario, sampleSnapshot } from "./sample-snapshots.fixture.ts";
import type { TestScenario } from "./test-scenario.ts";
import { testRunName } from "./test-run-metadata.ts";
import { type TestStatus, type TestStatusEntry } from "./test-statuses.ts";

const now = Date.parse("2026-01-02T04:00:00Z");
const e2e = sampleScenario("e2e");
const lint = sampleScenario("lint", {}, { labels: { [promotionLabels.optional]: "true" } });
const nightly = sampleScenario("nightly", { contexts: [{ name: "disabled" }] });

function entry(scenario: string, status: TestStatus, run = `${scenario}-1`): TestStatusEntry {
  return {
    scenario,
    status,
    details: "",
    lastUpdateTime: "2026-01-02T03:04:05Z",
    ...(run === "" ? {} : { testPipelineRunName: run }),
  };
}

interface Given extends Partial<Omit<TestsObservation, "snapshot" | "scenarios">> {
  readonly scenarios?: readonly TestScenario[];
  readonly entries?: readonly TestStatusEntry[];
  readonly rerun?: string;
}

function decide({ entries = [], rerun, scenarios = [e2e, lint, nightly], ...given }: Given) {
  const snapshot = sampleSnapshot({
    labels: rerun === undefined ? {} : { [promotionLabels.rerun]: rerun },
    annotations: { [promotionAnnotations.testStatus]: JSON.stringify(entries) },
  });
  const observation = { graph: {}, hasFinished: false, verdicts: new Map(), now, ...given };
  const decision = decideTests({ ...observation, snapshot, scenarios });
  return { ...decision, started: decision.starts.map(({ scenario }) => scenario.name) };
}

describe("which tests start", () => {
  test("those that apply and have no entry; optional ones are not required", () => {
    expect(decide({})).toMatchObject({ started: ["e2e", "lint"], required: ["e2e"], answersRerun: false });
  });

  test("none that has a run, even if the run was pruned after its result was noted", () => {
    const entries = [entry("e2e", "TestFail"), entry("lint", "TestPassed")];
    expect(decide({ entries }).started).toEqual([]);
  });

  test("none that was added after the tests have finished", () => {
    expect(decide({ entries: [entry("lint", "TestPassed")], hasFinished: true }).started).toEqual([]);
  });

  test("one that waits is started once nothing holds it, also after the required tests have finished", () => {
    expect(decide({ entries: [entry("lint", "Pending", "")], hasFinished: true }).started).toEqual(["lint"]);
  });

  test("a test that waits for another is Pending and says for which", () => {
    const graph = { e2e: [{ name: "lint", failFast: true }] };
    const decision = decide({ graph, entries: [entry("lint", "InProgress")], verdicts: running("lint-1") });
    expect(decision.started).toEqual([]);
    expect(decision.entries.find(({ scenario }) => scenario === "e2e")).toMatchObject({
      status: "Pending",
      details: "waits for lint",
      runAfter: ["lint"],
    });
  });

  test("P28: a test after one that fails fast fails without a run", () => {
    const graph = { e2e: [{ name: "lint", failFast: true }] };
    const decision = decide({ graph, entries: [entry("lint", "TestFail")] });
    expect(decision.started).toEqual([]);
    const failed = decision.entries.find(({ scenario }) => scenario === "e2e");
    expect(failed).toMatchObject({ status: "TestFail", details: "cancelled, because lint failed" });
    expect(failed).not.toHaveProperty("testPipelineRunName");
  });

  test("the oldest scenarios of a tenant that has too many, and the others are named", () => {
    const scenarios = Array.from({ length: mostScenarios + 2 }, (_, index) =>
      sampleScenario(`s${index}`, {}, { creationTimestamp: new Date(now - index * 1_000).toISOString() }),
    );
    const decision = decide({ scenarios });
    expect(decision.started).toHaveLength(mostScenarios);
    expect(decision.refused).toEqual(["s1", "s0"]);
  });
});

const running = (...runs: readonly string[]) =>
  new Map(runs.map((run) => [run, { status: "InProgress", details: "the test is running" } as const]));

describe("what runs say", () => {
  test("a result is noted with its times, and a run that is gone counts as deleted", () => {
    const entries = [entry("e2e", "InProgress"), entry("lint", "InProgress")];
    const verdicts = new Map([["e2e-1", { status: "TestPassed", details: "the test passed" } as const]]);
    expect(decide({ entries, verdicts }).entries).toMatchObject([
      { scenario: "e2e", status: "TestPassed", completionTime: "2026-01-02T04:00:00.000Z" },
      { scenario: "lint", status: "Deleted", isOptionalScenario: true },
    ]);
  });

  test("the entry of a scenario that is gone is dropped; one that ran is kept when it no longer applies", () => {
    const entries = [entry("gone", "TestFail"), entry("nightly", "TestFail")];
    const decision = decide({ entries, scenarios: [nightly] });
    expect(decision.entries.map(({ scenario }) => scenario)).toEqual(["nightly"]);
    expect(decision.required).toEqual([]);
  });
});

describe("P26: running a test again", () => {
  test.for<{ rerun: string; entries: TestStatusEntry[]; started: string[]; isRerun: boolean; reason: string }>([
    { rerun: "e2e", entries: [entry("e2e", "TestFail")], started: ["e2e"], isRerun: true, reason: "it failed" },
    { rerun: "ghost", entries: [entry("e2e", "TestFail")], started: [], isRerun: false, reason: "it does not exist" },
    { rerun: "nightly", entries: [], started: ["nightly"], isRerun: true, reason: "contexts are ignored" },
    {
      rerun: "all",
      entries: [entry("e2e", "InProgress"), entry("lint", "TestFail")],
      started: ["lint"],
      isRerun: true,
      reason: "what runs already is left alone",
    },
    { rerun: "e2e", entries: [entry("e2e", "InProgress")], started: [], isRerun: false, reason: "it runs already" },
    { rerun: "all", entries: [], started: ["e2e", "lint"], isRerun: true, reason: "all that apply" },
  ])("$rerun with $entries starts $started: $reason", ({ rerun, entries, started, isRerun }) => {
    const decision = decide({ rerun, entries, verdicts: running("e2e-1"), hasFinished: true });
    expect(decision).toMatchObject({ started, answersRerun: true, isRerun });
  });

  test("the new run differs from the one before", () => {
    const decision = decide({ rerun: "e2e", entries: [entry("e2e", "TestFail")], hasFinished: true });
    const first = decide({}).starts[0]?.runName;
    const again = decision.starts[0]?.runName;
    expect(again).not.toBe(first);
    expect(again).toBe(testRunName(sampleSnapshot(), "e2e", "e2e-1"));
  });

  test("a run that could not start yet keeps its name", () => {
    const waiting = [entry("e2e", "Pending", "e2e-2")];
    expect(decide({ entries: waiting, hasFinished: true }).starts).toMatchObject([{ runName: "e2e-2" }]);
  });
});
