import { isRecord } from "#base";
import { promotionAnnotations, snapshotConditions } from "../kinds/promotion-names.ts";
import { parseTestStatuses, type TestStatusEntry } from "../scenarios/test-statuses.ts";
import { readSnapshot, type TestedSnapshot } from "../scenarios/tested-snapshot.ts";
import { snapshotCondition } from "../snapshots/snapshot-condition.ts";
import type { KubeObject } from "#kube";
import { destinationsOf } from "./report-destination.ts";

/** When what was last reported of a test had changed, in milliseconds since 1970, by `scenario-destination`. */
export type ReportMemory = ReadonlyMap<string, number>;

export function reportKey(scenario: string, destination: string): string {
  return `${scenario}-${destination}`;
}

/** What cannot be read counts as not reported: a forge that says the same already is not told again. */
export function parseReportMemory(annotation: string | undefined): ReportMemory {
  let value: unknown;
  try {
    value = JSON.parse(annotation ?? "{}");
  } catch {
    value = {};
  }
  const scenarios = isRecord(value) && isRecord(value["scenarios"]) ? value["scenarios"] : {};
  return new Map(
    Object.entries(scenarios).flatMap(([key, entry]) => {
      const time = isRecord(entry) ? Date.parse(String(entry["lastUpdateTime"])) : Number.NaN;
      return Number.isFinite(time) ? [[key, time] as const] : [];
    }),
  );
}

export function formatReportMemory(memory: ReportMemory): string {
  const sorted = [...memory].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const scenarios = sorted.map(([key, time]) => [key, { lastUpdateTime: new Date(time).toISOString() }] as const);
  return JSON.stringify({ scenarios: Object.fromEntries(scenarios) });
}

/** Whether the state of a test is newer than what was reported to a destination. */
export function isDue(
  { scenario, lastUpdateTime }: Pick<TestStatusEntry, "scenario" | "lastUpdateTime">,
  destination: string,
  memory: ReportMemory,
): boolean {
  const known = memory.get(reportKey(scenario, destination));
  const changed = Date.parse(lastUpdateTime);
  return known === undefined || (Number.isFinite(changed) && changed > known);
}

/** Only tests of builds concern a commit, and those of a Snapshot that was replaced no longer count. */
export function isReportable({ object, type }: TestedSnapshot): boolean {
  const { reason } = snapshotCondition(object, snapshotConditions.integration) ?? {};
  return (type === "component" || type === "group") && reason !== "Canceled" && reason !== "Invalid";
}

/** Whether nothing of a test is left to report, so that its run need not be kept. */
export function isReported(object: KubeObject, scenario: string): boolean {
  const snapshot = readSnapshot(object);
  if (!isReportable(snapshot)) return true;
  const { annotations } = snapshot;
  const entry = parseTestStatuses(annotations[promotionAnnotations.testStatus]).find(
    (one) => one.scenario === scenario,
  );
  const memory = parseReportMemory(annotations[promotionAnnotations.reportStatus]);
  return !entry || destinationsOf(snapshot).every((destination) => !isDue(entry, destination.snapshot, memory));
}
