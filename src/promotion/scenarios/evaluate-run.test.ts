import { describe, expect, test } from "vitest";
import { fc } from "#seeded";
import { evaluateRun, type RunObservation } from "./evaluate-run.ts";
import { parseTestOutput, testResults } from "./parse-test-output.ts";

const good = { result: "SUCCESS", timestamp: "1700000000", successes: 3, failures: 0, warnings: 0 };
const output = (change: object = {}) => JSON.stringify({ ...good, ...change });

function verdict(outputs: readonly (string | undefined)[], change: Partial<RunObservation> = {}) {
  const tasks = outputs.map((text, index) => ({ name: `t${index}`, ...(text === undefined ? {} : { output: text }) }));
  return evaluateRun({ progress: "succeeded", isDeleting: false, tasks, expectedTasks: tasks.length, ...change });
}

describe("P22: TEST_OUTPUT", () => {
  test.for<{ outputs: (string | undefined)[]; status: string; reason: string }>([
    { outputs: [output()], status: "TestPassed", reason: "success" },
    { outputs: [output({ result: "SKIPPED" })], status: "TestPassed", reason: "skipped alone" },
    { outputs: [output({ result: "WARNING" })], status: "TestWarning", reason: "a warning" },
    { outputs: [output({ result: "FAILURE" })], status: "TestFail", reason: "a failure" },
    { outputs: [output({ result: "ERROR" })], status: "TestFail", reason: "an error" },
    { outputs: [output({ result: "success" })], status: "TestFail", reason: "the words are in upper case" },
    { outputs: ["{"], status: "TestFail", reason: "not JSON" },
    { outputs: ["[]"], status: "TestFail", reason: "not an object" },
    { outputs: ["null"], status: "TestFail", reason: "null" },
    { outputs: [output({ failures: undefined })], status: "TestFail", reason: "a count is missing" },
    { outputs: [output({ failures: -1 })], status: "TestFail", reason: "a negative count" },
    { outputs: [output({ failures: 0.5 })], status: "TestFail", reason: "half a failure" },
    { outputs: [output({ failures: 5 })], status: "TestPassed", reason: "the counts do not matter" },
    { outputs: [output({ note: 1 })], status: "TestFail", reason: "the note is not text" },
    { outputs: [output({ extra: {} })], status: "TestPassed", reason: "more members" },
    { outputs: [output({ timestamp: "2026-01-02T03:04:05Z" })], status: "TestPassed", reason: "RFC 3339" },
    { outputs: [output({ timestamp: "2026-01-02T03:04:05.6+02:00" })], status: "TestPassed", reason: "with a zone" },
    { outputs: [output({ timestamp: "2026-01-02T03:04:05" })], status: "TestPassed", reason: "without a zone" },
    { outputs: [output({ timestamp: "yesterday" })], status: "TestFail", reason: "not a time" },
    { outputs: [output({ timestamp: "170000000" })], status: "TestFail", reason: "nine digits" },
    { outputs: [output({ timestamp: 1_700_000_000 })], status: "TestFail", reason: "not text" },
    { outputs: [], status: "TestPassed", reason: "no tasks" },
    { outputs: [undefined], status: "TestPassed", reason: "no TEST_OUTPUT" },
    { outputs: [output(), output({ result: "WARNING" })], status: "TestWarning", reason: "the worst wins" },
    { outputs: [output(), output({ result: "FAILURE" })], status: "TestFail", reason: "the worst wins" },
    { outputs: [output({ result: "FAILURE" }), undefined], status: "TestFail", reason: "neutral beside a failure" },
    { outputs: [output(), "no"], status: "TestFail", reason: "one malformed" },
  ])("$outputs: $status ($reason)", ({ outputs, status }) => {
    expect(verdict(outputs).status).toBe(status);
  });

  test("every problem is named, with its task", () => {
    const { details } = verdict([output({ result: "OK", failures: "0" }), "?"]);
    expect(details).toContain(
      'TEST_OUTPUT of t0: result: expected one of SUCCESS, FAILURE, WARNING, SKIPPED, ERROR, got "OK"',
    );
    expect(details).toContain("TEST_OUTPUT of t0: failures: expected a number of at least 0");
    expect(details).toContain("TEST_OUTPUT of t1: is not JSON");
  });

  test("the details of a failure have its counts and note", () => {
    const failed = output({ result: "FAILURE", failures: 2, note: "see the log" });
    expect(verdict([failed]).details).toBe("FAILURE: 3 passed, 2 failed, 0 with warnings; see the log");
  });

  test("any text is either valid with a known result, or malformed with a problem", () => {
    const anyText = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record(
          {
            result: fc.oneof(fc.constantFrom(...testResults), fc.jsonValue()),
            timestamp: fc.oneof(fc.constant("1700000000"), fc.string()),
            successes: fc.oneof(fc.nat(), fc.jsonValue()),
            failures: fc.oneof(fc.nat(), fc.double()),
            warnings: fc.nat(),
            note: fc.oneof(fc.string(), fc.jsonValue()),
            __proto__: fc.jsonValue(),
          },
          { requiredKeys: [] },
        )
        .map((value) => JSON.stringify(value)),
    );
    const check = fc.property(anyText, (text) => {
      const parsed = parseTestOutput(text);
      const isSound = parsed.kind === "valid" ? testResults.includes(parsed.output.result) : parsed.problems.length > 0;
      expect(isSound).toBe(true);
      expect(["TestPassed", "TestWarning", "TestFail"]).toContain(verdict([text]).status);
    });
    fc.assert(check, { numRuns: 500 });
  });
});

describe("the outcome of a run", () => {
  test.for<{ change: Partial<RunObservation>; status: string; reason: string }>([
    { change: { progress: "running" }, status: "InProgress", reason: "it runs" },
    { change: { progress: "running", isDeleting: true }, status: "Deleted", reason: "P23: deleted while running" },
    { change: { isDeleting: true }, status: "TestPassed", reason: "deleted after it finished" },
    { change: { expectedTasks: 3 }, status: "TestInvalid", reason: "P23: a TaskRun was pruned" },
    { change: { expectedTasks: 3, progress: "failed" }, status: "TestInvalid", reason: "pruned before failed" },
    { change: { progress: "failed", message: "timeout" }, status: "TestFail", reason: "the run failed" },
  ])("$status: $reason", ({ change, status }) => {
    expect(verdict([output()], change).status).toBe(status);
  });
});
