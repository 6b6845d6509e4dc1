import { describe, expect, test } from "vitest";
import { readSnapshotState } from "./snapshot-state.ts";

function snapshot(conditions: readonly object[], tests: readonly object[] = []) {
  return {
    apiVersion: "appstudio.redhat.com/v1alpha1",
    kind: "Snapshot",
    metadata: {
      namespace: "shop",
      name: "s1",
      annotations: { "test.appstudio.openshift.io/status": JSON.stringify(tests) },
    },
    spec: { application: "shop" },
    status: { conditions },
  };
}

const integration = (status: string, reason: string, message = "") => ({
  type: "AppStudioIntegrationStatus",
  status,
  reason,
  message,
});
const tested = (status: string) => ({ type: "AppStudioTestSucceeded", status, reason: "Any", message: "" });
const entry = (scenario: string, status: string, isOptionalScenario = false) => ({
  scenario,
  status,
  isOptionalScenario,
  details: "",
  lastUpdateTime: "2026-01-02T03:04:05Z",
});

describe("readSnapshotState", () => {
  test.for([
    {
      reason: "no controller has seen it",
      conditions: [],
      tests: [],
      state: "Waiting",
      next: /tenon run --only promote/,
    },
    {
      reason: "an image has no digest",
      conditions: [integration("False", "Invalid", "web has no digest")],
      tests: [],
      state: "Invalid",
      next: /^web has no digest$/,
    },
    {
      reason: "its annotations leave no room for results",
      conditions: [integration("False", "ErrorOccured", "remove large ones"), tested("True")],
      tests: [],
      state: "Waiting",
      next: /^remove large ones$/,
    },
    {
      reason: "a required test failed, and an optional one too",
      conditions: [integration("True", "Finished"), tested("False")],
      tests: [entry("e2e", "TestFail"), entry("scan", "TestFail", true)],
      state: "Failed",
      next: /^e2e failed: see `tenon explain snapshot\/shop\/s1`$/,
    },
    {
      reason: "tests run",
      conditions: [integration("Unknown", "InProgress")],
      tests: [entry("e2e", "InProgress")],
      state: "Testing",
      next: /^nothing$/,
    },
    {
      reason: "a newer one came",
      conditions: [integration("True", "Canceled")],
      tests: [],
      state: "Canceled",
      next: /^nothing$/,
    },
    {
      reason: "all is well",
      conditions: [integration("True", "Finished"), tested("True")],
      tests: [entry("e2e", "TestPassed")],
      state: "Passed",
      next: /^nothing$/,
    },
  ])("$state, because $reason", ({ conditions, tests, state, next }) => {
    const read = readSnapshotState(snapshot(conditions, tests));
    expect(read.state).toBe(state);
    expect(read.next ?? "nothing").toMatch(next);
  });
});
