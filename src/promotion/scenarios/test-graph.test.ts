import { describe, expect, test } from "vitest";
import { consultGraph, readTestGraph } from "./test-graph.ts";
import { changeEntry, type TestStatus } from "./test-statuses.ts";

const graph = readTestGraph({
  testGraph: {
    verify: [{ name: "scan", failFast: true }, { name: "e2e" }],
    announce: [{ name: "verify" }],
    second: [{ name: "new" }],
    egg: [{ name: "hen" }],
    hen: [{ name: "egg" }],
  },
});

function entries(statuses: Readonly<Record<string, TestStatus>>) {
  return Object.entries(statuses).map(([scenario, status]) => {
    const run = scenario === "verify" ? {} : { testPipelineRunName: `${scenario}-1` };
    return changeEntry(undefined, scenario, { status, details: "", ...run }, 0);
  });
}

describe("P28: the graph of tests", () => {
  test.for<{ scenario: string; statuses: Record<string, TestStatus>; verdict: object; reason: string }>([
    { scenario: "scan", statuses: {}, verdict: { kind: "start" }, reason: "it is first" },
    { scenario: "other", statuses: {}, verdict: { kind: "start" }, reason: "it is not in the graph" },
    { scenario: "constructor", statuses: {}, verdict: { kind: "start" }, reason: "a name that every object has" },
    {
      scenario: "verify",
      statuses: { scan: "InProgress", e2e: "TestPassed" },
      verdict: { kind: "wait", parents: ["scan"] },
      reason: "a parent runs",
    },
    {
      scenario: "verify",
      statuses: { scan: "TestWarning", e2e: "TestPassed" },
      verdict: { kind: "start" },
      reason: "all passed",
    },
    {
      scenario: "verify",
      statuses: { scan: "TestFail", e2e: "InProgress" },
      verdict: { kind: "cancel", parent: "scan" },
      reason: "a parent that fails fast failed",
    },
    {
      scenario: "verify",
      statuses: { scan: "TestPassed", e2e: "TestFail" },
      verdict: { kind: "start" },
      reason: "a parent that does not fail fast failed",
    },
    { scenario: "verify", statuses: { e2e: "TestPassed" }, verdict: { kind: "start" }, reason: "scan does not apply" },
    {
      scenario: "announce",
      statuses: { verify: "TestFail" },
      verdict: { kind: "cancel", parent: "verify" },
      reason: "verify never ran, because scan failed",
    },
    {
      scenario: "second",
      statuses: {},
      verdict: { kind: "wait", parents: ["new"] },
      reason: "a parent starts at the same time",
    },
    { scenario: "egg", statuses: {}, verdict: { kind: "cycle" }, reason: "it waits for itself" },
  ])("$scenario with $statuses: $verdict ($reason)", ({ scenario, statuses, verdict }) => {
    expect(consultGraph(scenario, graph, entries(statuses), new Set(["new"]))).toEqual(verdict);
  });
});
