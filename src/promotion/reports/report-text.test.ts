import { describe, expect, test } from "vitest";
import type { TestStatusEntry } from "../scenarios/test-statuses.ts";
import { fillLink, readReportSettings } from "./report-settings.ts";
import { reportComment, reportContext, reportDetails, reportSummary } from "./report-text.ts";

const subject = { namespace: "t1", snapshot: "shop-1", name: "web", isGroup: false };
const settings = readReportSettings({
  CONSOLE_URL: "https://console.example/{{NAMESPACE}}/runs/{{PIPELINE_RUN_NAME}}",
  CONSOLE_URL_TASKLOG: "https://console.example/{{NAMESPACE}}/runs/{{PIPELINE_RUN_NAME}}/{{TASK_NAME}}",
});
const entry = (scenario: string, change: Partial<TestStatusEntry> = {}): TestStatusEntry => {
  const times = { lastUpdateTime: "2026-01-02T03:04:05.000Z" };
  return { scenario, status: "TestPassed", details: "", testPipelineRunName: `${scenario}-1`, ...times, ...change };
};
const output = JSON.stringify({
  result: "FAILURE",
  timestamp: "1700000000",
  successes: 3,
  failures: 1,
  warnings: 0,
  namespace: "suite",
  note: "see | <b>log</b> @alice",
});

describe("what reports say", () => {
  test("a status is named after the service, the scenario and the component, and says one sentence", () => {
    expect(reportContext(settings, "e2e", subject)).toBe("Integration Service / e2e / web");
    expect(reportContext({ name: "Acme" }, "e2e", { ...subject, name: "pr group" })).toBe("Acme / e2e / pr group");
    expect(reportSummary(entry("e2e", { isOptionalScenario: true, status: "TestFail" }), subject)).toBe(
      "Integration test for component web snapshot shop-1 and optional scenario e2e has failed",
    );
  });

  test("links are substituted and never evaluated, and one that lacks a value is left out", () => {
    const values = { NAMESPACE: "t1", PIPELINE_RUN_NAME: "$& {{NAMESPACE}}" };
    expect(fillLink("https://c/{{NAMESPACE}}/{{PIPELINE_RUN_NAME}}?{{ .Env }}", values)).toBe(
      "https://c/t1/%24%26%20%7B%7BNAMESPACE%7D%7D?{{ .Env }}",
    );
    expect(fillLink("https://c/{{TASK_NAME}}", values)).toBeUndefined();
    expect(fillLink(undefined, values)).toBeUndefined();
  });

  test("the details of a test have its run and its tasks, and nothing that a test says becomes Markdown", () => {
    const tasks = [{ name: "unit", startedAt: 0, finishedAt: 90_000, output }, { name: "clone" }];
    const failed = { entry: entry("e2e", { status: "TestFail", details: "a [link](https://x)" }), tasks };
    expect(reportDetails(failed, subject, settings).split("\n")).toEqual([
      "Run [`e2e-1`](<https://console.example/t1/runs/e2e-1>)",
      "",
      "a &#91;link&#93;(https://x)",
      "",
      "| Task | Duration | Test Suite | Status | Details | Note |",
      "| --- | --- | --- | --- | --- | --- |",
      "| [`unit`](<https://console.example/t1/runs/e2e-1/unit>) | 1m30s | suite | FAILURE | 3 passed, 1 failed, 0 with warnings | see &#124; &#60;b&#62;log&#60;/b&#62; &#64;alice |",
      "| [`clone`](<https://console.example/t1/runs/e2e-1/clone>) |  |  |  |  |  |",
    ]);
  });

  test("the comment begins with failed tests, and passed ones are links at its end", () => {
    const tests = [
      { entry: entry("a-passed"), tasks: [] },
      { entry: entry("b-failed", { status: "TestFail", details: "no" }), tasks: [] },
      { entry: entry("c-open", { status: "InProgress" }), tasks: [] },
    ];
    const text = reportComment(tests, [], subject, settings);
    const places = [
      "1 failed, 1 passed, 1 not finished",
      "`b-failed` has failed",
      "`c-open` is in",
      "Passed: [`a-pass",
    ];
    expect(places.map((part) => text.indexOf(part)).every((place, at, all) => place > (all[at - 1] ?? 0))).toBe(true);
  });

  test("a comment about very many tests is cut before a forge refuses it", () => {
    const details = "x".repeat(2_000);
    const tests = Array.from({ length: 200 }, (_, at) => ({
      entry: entry(`s${at}`, { status: "TestFail", details }),
      tasks: [],
    }));
    expect(reportComment(tests, [], subject, settings).length).toBeLessThan(61_000);
  });
});
