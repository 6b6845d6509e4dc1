import { describe, expect, test } from "vitest";
import { promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import { Snapshot } from "../kinds/snapshot.ts";
import { formatReportMemory, isReported, parseReportMemory } from "./report-memory.ts";

const time = "2026-01-02T03:04:05.678Z";

function snapshot(annotations: Readonly<Record<string, string>>, type = "component", reason?: string) {
  const entries = [{ scenario: "e2e", status: "TestPassed", lastUpdateTime: time, details: "" }];
  const all = { [promotionAnnotations.testStatus]: JSON.stringify(entries), ...annotations };
  const conditions = reason === undefined ? [] : [{ type: "AppStudioIntegrationStatus", status: "True", reason }];
  return {
    apiVersion: Snapshot.apiVersion,
    kind: Snapshot.kind,
    metadata: { name: "s1", labels: { [promotionLabels.snapshotType]: type }, annotations: all },
    spec: { application: "shop" },
    status: { conditions },
  };
}
const memoryOf = (...times: readonly (readonly [string, string])[]) => ({
  [promotionAnnotations.reportStatus]: formatReportMemory(new Map(times.map(([key, at]) => [key, Date.parse(at)]))),
});
const group = { [promotionAnnotations.groupMembers]: '[{"snapshot":"a"},{"snapshot":"b"}]' };

describe("the memory of reports", () => {
  test("is sorted, has upstream's shape, and reads what others wrote", () => {
    const memory = new Map([
      ["scan-s1", Date.parse(time)],
      ["e2e-s1", Date.parse(time)],
    ]);
    const text = `{"scenarios":{"e2e-s1":{"lastUpdateTime":"${time}"},"scan-s1":{"lastUpdateTime":"${time}"}}}`;
    expect(formatReportMemory(memory)).toBe(text);
    expect(parseReportMemory(text)).toEqual(memory);
    for (const broken of [undefined, "", "[]", "{", '{"scenarios":{"a":1,"b":{"lastUpdateTime":"soon"}}}']) {
      expect(parseReportMemory(broken).size).toBe(0);
    }
  });

  test.each([
    ["nothing was reported", snapshot({}), false],
    ["this state was reported", snapshot(memoryOf(["e2e-s1", time])), true],
    ["an older state was reported", snapshot(memoryOf(["e2e-s1", "2026-01-02T03:04:05Z"])), false],
    ["the Snapshot is an override", snapshot({}, "override"), true],
    ["the Snapshot was replaced", snapshot({}, "component", "Canceled"), true],
    ["one of two members has its report", snapshot({ ...group, ...memoryOf(["e2e-a", time]) }, "group"), false],
    ["both have their report", snapshot({ ...group, ...memoryOf(["e2e-a", time], ["e2e-b", time]) }, "group"), true],
  ])("a run is kept until its result is reported: %s", (_, object, expected) => {
    expect(isReported(object, "e2e")).toBe(expected);
  });
});
