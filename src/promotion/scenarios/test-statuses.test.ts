import { describe, expect, test } from "vitest";
import { fc } from "#seeded";
import { changeEntry, formatTestStatuses, hasPassed, isFinal, parseTestStatuses } from "./test-statuses.ts";

const first = Date.parse("2026-01-02T03:04:05Z");
const later = first + 60_000;
const running = changeEntry(
  undefined,
  "e2e",
  { status: "InProgress", details: "runs", testPipelineRunName: "e2e-1" },
  first,
);

describe("the entry of a test", () => {
  test("gets a start time when its run starts, keeps its times while nothing changes, and gets a completion time", () => {
    expect(running).toEqual({
      scenario: "e2e",
      status: "InProgress",
      details: "runs",
      lastUpdateTime: "2026-01-02T03:04:05.000Z",
      startTime: "2026-01-02T03:04:05.000Z",
      testPipelineRunName: "e2e-1",
    });
    expect(changeEntry(running, "e2e", { ...running }, later)).toEqual(running);
    const passed = changeEntry(running, "e2e", { ...running, status: "TestPassed", details: "passed" }, later);
    expect(passed).toMatchObject({ startTime: running.startTime, completionTime: "2026-01-02T03:05:05.000Z" });
    expect(changeEntry(passed, "e2e", passed, later + 5)).toEqual(passed);
  });

  test("loses its completion time when it runs again, and both times while it waits", () => {
    const failed = changeEntry(running, "e2e", { ...running, status: "TestFail", details: "no" }, later);
    const again = changeEntry(failed, "e2e", { status: "InProgress", details: "runs" }, later + 1);
    expect(again).toMatchObject({ startTime: "2026-01-02T03:05:05.001Z" });
    expect(again).not.toHaveProperty("completionTime");
    const waiting = changeEntry(failed, "e2e", { status: "Pending", details: "waits" }, later + 1);
    expect(waiting).not.toHaveProperty("startTime");
    expect(waiting).not.toHaveProperty("completionTime");
    expect(waiting).not.toHaveProperty("testPipelineRunName");
  });
});

describe("the annotation", () => {
  test("is sorted, so that the same results are the same text", () => {
    const other = { ...running, scenario: "a", isOptionalScenario: true };
    const text = formatTestStatuses([running, other]);
    expect(text).toBe(formatTestStatuses([other, running]));
    expect(parseTestStatuses(text)).toEqual([other, running]);
    expect(formatTestStatuses(parseTestStatuses(text))).toBe(text);
  });

  test.for<{ text: string | undefined; count: number; reason: string }>([
    { text: undefined, count: 0, reason: "none yet" },
    { text: "", count: 0, reason: "empty" },
    { text: "{", count: 0, reason: "broken by hand" },
    { text: '{"scenario":"a"}', count: 0, reason: "not a list" },
    { text: '[{"scenario":"a","status":"TestPassed"}]', count: 0, reason: "no time" },
    { text: '[{"scenario":"a","status":"Nonsense","lastUpdateTime":"t"}]', count: 0, reason: "an unknown status" },
    { text: '[{"scenario":"a","status":"TestFail","lastUpdateTime":"t"},3]', count: 1, reason: "one of two" },
  ])("$text has $count entries: $reason", ({ text, count }) => {
    expect(parseTestStatuses(text)).toHaveLength(count);
  });

  test.for(["EnvironmentProvisionError", "DeploymentError"])("%s of older versions is read as a failure", (status) => {
    const [entry] = parseTestStatuses(JSON.stringify([{ scenario: "a", status, lastUpdateTime: "t" }]));
    expect(entry && [isFinal(entry.status), hasPassed(entry.status)]).toEqual([true, false]);
  });

  test("stays below its share of 256 KiB, whatever the details are, and keeps every result", () => {
    const arbitrary = fc.array(fc.string({ maxLength: 5_000, unit: "grapheme" }), { minLength: 1, maxLength: 200 });
    const check = fc.property(arbitrary, (details) => {
      const entries = details.map((detail, index) => ({ ...running, scenario: `s${index}`, details: detail }));
      const text = formatTestStatuses(entries);
      expect(Buffer.byteLength(text)).toBeLessThan(100 * 1024);
      expect(parseTestStatuses(text)).toHaveLength(entries.length);
    });
    fc.assert(check, { numRuns: 30 });
  });
});
