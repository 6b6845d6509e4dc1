import { describe, expect, test } from "vitest";
import { concludeTests, phaseOf, type Conclusion } from "./conclude-tests.ts";
import { sampleSnapshotObject } from "./sample-snapshots.fixture.ts";
import { changeEntry, type TestStatus } from "./test-statuses.ts";

const entry = (scenario: string, status: TestStatus, isOptionalScenario = false) =>
  changeEntry(undefined, scenario, { status, details: "", isOptionalScenario }, 0);

function conclude(given: Partial<Conclusion>) {
  const changes = concludeTests({ phase: "new", entries: [], required: [], refused: [], isRerun: false, ...given });
  return Object.fromEntries(
    changes.map(({ type, status, reason }) => [type.replace("AppStudio", ""), `${status}/${reason}`]),
  );
}

const passed = { IntegrationStatus: "True/Finished", TestSucceeded: "True/Passed" };
const failed = { IntegrationStatus: "True/Finished", TestSucceeded: "False/Failed" };
const running = { IntegrationStatus: "Unknown/InProgress" };

describe("the conditions of a Snapshot", () => {
  test.for<{ given: Partial<Conclusion>; conditions: object; reason: string }>([
    { given: {}, conditions: passed, reason: "P25: no scenario" },
    {
      given: { entries: [entry("lint", "InProgress", true)] },
      conditions: passed,
      reason: "P25: only an optional one, which runs",
    },
    { given: { required: ["a"], entries: [entry("a", "InProgress")] }, conditions: running, reason: "it runs" },
    { given: { required: ["a"] }, conditions: running, reason: "it has not started" },
    {
      given: { required: ["a"], entries: [entry("a", "TestWarning")] },
      conditions: passed,
      reason: "a warning passes",
    },
    { given: { required: ["a"], entries: [entry("a", "TestInvalid")] }, conditions: failed, reason: "invalid blocks" },
    { given: { required: ["a"], entries: [entry("a", "Deleted")] }, conditions: failed, reason: "P23: deleted blocks" },
    {
      given: { required: ["a"], entries: [entry("a", "TestPassed"), entry("b", "TestFail", true)] },
      conditions: passed,
      reason: "P24: an optional one failed",
    },
    {
      given: { required: ["a", "b"], entries: [entry("a", "TestFail"), entry("b", "InProgress")] },
      conditions: running,
      reason: "one failed, another runs",
    },
    { given: { required: [], refused: ["z"] }, conditions: failed, reason: "too many scenarios never pass" },
    {
      given: { phase: "finished", required: ["a"], entries: [entry("a", "TestPassed")] },
      conditions: {},
      reason: "finished already",
    },
    {
      given: { phase: "finished", isRerun: true, required: ["a"] },
      conditions: { IntegrationStatus: "Unknown/InProgress", TestSucceeded: "Unknown/InProgress" },
      reason: "P26: a re-run opens both",
    },
    {
      given: { phase: "running", isRerun: true, required: ["a"] },
      conditions: running,
      reason: "P26: a re-run before the end",
    },
  ])("$conditions: $reason", ({ given, conditions }) => {
    expect(conclude(given)).toEqual(conditions);
  });

  test("P25: the message is integration-service's", () => {
    const [tests] = concludeTests({ phase: "new", entries: [], required: [], refused: [], isRerun: false });
    expect(tests?.message).toBe("No required IntegrationTestScenarios found, skipped testing");
  });

  test.for([
    { conditions: [], phase: "new" },
    { conditions: [{ type: "AppStudioIntegrationStatus", status: "Unknown", reason: "InProgress" }], phase: "running" },
    { conditions: [{ type: "AppStudioIntegrationStatus", status: "True", reason: "Canceled" }], phase: "canceled" },
    { conditions: [{ type: "AppStudioIntegrationStatus", status: "False", reason: "Invalid" }], phase: "invalid" },
    {
      conditions: [
        { type: "AppStudioIntegrationStatus", status: "True", reason: "Finished" },
        { type: "AppStudioTestSucceeded", status: "False", reason: "Failed" },
      ],
      phase: "finished",
    },
    {
      conditions: [
        { type: "HACBSIntegrationStatus", status: "True", reason: "Finished" },
        { type: "HACBSStudioTestSucceeded", status: "True", reason: "Passed" },
      ],
      phase: "finished",
    },
  ])("$conditions is $phase", ({ conditions, phase }) => {
    expect(phaseOf({ ...sampleSnapshotObject(), status: { conditions } })).toBe(phase);
  });
});
