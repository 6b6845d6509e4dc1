import { compareText, isRecord } from "#base";
import type { KubeObject } from "#kube";
import { annotationBytes, mostAnnotationBytes } from "../builds/fit-annotations.ts";
import { promotionAnnotations } from "../kinds/promotion-names.ts";

/** Statuses that Tenon writes. */
const writtenStatuses = [
  "Pending",
  "InProgress",
  "Deleted",
  "TestFail",
  "TestPassed",
  "TestInvalid",
  "TestWarning",
] as const;
/** Statuses of integration-service from the time when tests had environments. */
const legacyStatuses = ["EnvironmentProvisionError", "DeploymentError"] as const;

export type TestStatus = (typeof writtenStatuses)[number] | (typeof legacyStatuses)[number];

/** How far one scenario is with a Snapshot; konflux-ui reads the same fields. */
export interface TestStatusEntry {
  readonly scenario: string;
  readonly status: TestStatus;
  readonly lastUpdateTime: string;
  readonly details: string;
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly testPipelineRunName?: string;
  readonly isOptionalScenario?: boolean;
  /** The scenarios that it runs after. */
  readonly runAfter?: readonly string[];
}

export type TestStatusChange = Pick<TestStatusEntry, "status" | "details"> &
  Partial<Pick<TestStatusEntry, "testPipelineRunName" | "isOptionalScenario" | "runAfter">>;

export function isFinal(status: TestStatus): boolean {
  return status !== "Pending" && status !== "InProgress";
}

/** Of any word: what is reported has more of them. */
export function hasPassed(status: string): boolean {
  return status === "TestPassed" || status === "TestWarning";
}

/**
 * The entries of the annotation, sorted by scenario. Entries that cannot be read are left out: their tests are looked for
 * again by the names of their runs, so that none runs twice.
 */
export function parseTestStatuses(annotation: string | undefined): TestStatusEntry[] {
  let value: unknown;
  try {
    value = JSON.parse(annotation ?? "[]");
  } catch {
    value = [];
  }
  const entries = new Map<string, TestStatusEntry>();
  for (const item of Array.isArray(value) ? value : []) {
    const entry = readEntry(item);
    if (entry) entries.set(entry.scenario, entry);
  }
  return sortEntries([...entries.values()]);
}

function readEntry(value: unknown): TestStatusEntry | undefined {
  if (!isRecord(value)) return undefined;
  const { scenario, lastUpdateTime, details, startTime, completionTime, testPipelineRunName, runAfter } = value;
  const status = [...writtenStatuses, ...legacyStatuses].find((known) => known === value["status"]);
  if (typeof scenario !== "string" || scenario === "" || !status || typeof lastUpdateTime !== "string")
    return undefined;
  return {
    scenario,
    status,
    lastUpdateTime,
    details: typeof details === "string" ? details : "",
    ...(typeof startTime === "string" ? { startTime } : {}),
    ...(typeof completionTime === "string" ? { completionTime } : {}),
    ...(typeof testPipelineRunName === "string" && testPipelineRunName !== "" ? { testPipelineRunName } : {}),
    ...(value["isOptionalScenario"] === true ? { isOptionalScenario: true } : {}),
    ...(Array.isArray(runAfter) && runAfter.length > 0 ? { runAfter: runAfter.map(String) } : {}),
  };
}

/** The entry after a change. Times change only if the status or its details do. */
export function changeEntry(
  before: TestStatusEntry | undefined,
  scenario: string,
  change: TestStatusChange,
  now: number,
): TestStatusEntry {
  const { status, details, testPipelineRunName, isOptionalScenario = false, runAfter = [] } = change;
  const isSame = before?.status === status && before.details === details;
  const time = new Date(now).toISOString();
  const startTime =
    status === "Pending" ? undefined : status === "InProgress" ? startOf(before, time) : before?.startTime;
  const completionTime = isFinal(status) ? (isSame ? (before.completionTime ?? time) : time) : undefined;
  return {
    scenario,
    status,
    lastUpdateTime: isSame ? before.lastUpdateTime : time,
    details,
    ...(startTime === undefined ? {} : { startTime }),
    ...(completionTime === undefined ? {} : { completionTime }),
    ...(testPipelineRunName === undefined ? {} : { testPipelineRunName }),
    ...(isOptionalScenario ? { isOptionalScenario } : {}),
    ...(runAfter.length > 0 ? { runAfter } : {}),
  };
}

function startOf(before: TestStatusEntry | undefined, time: string): string {
  return before?.status === "InProgress" ? (before.startTime ?? time) : time;
}

/** An object has 256 KiB for all its annotations, of which others need some too. */
const largestAnnotation = 96 * 1024;
const shortenings = [2_000, 500, 100, 0];

/** Reports remember what they sent in an annotation, too. */
const reportBytes = 32 * 1024;

/** How many bytes the results of tests may take beside the other annotations of a Snapshot. */
export function roomForResults({ metadata: { annotations = {} } }: KubeObject): number {
  const { testStatus, reportStatus } = promotionAnnotations;
  const others = Object.entries(annotations).filter(([name]) => name !== testStatus && name !== reportStatus);
  const taken = annotationBytes(Object.fromEntries(others)) + reportBytes + testStatus.length;
  return Math.min(largestAnnotation, mostAnnotationBytes - taken);
}

/** The text of the annotation: sorted, and with details only as long as they fit. It may still be larger than `room`. */
export function formatTestStatuses(entries: readonly TestStatusEntry[], room = largestAnnotation): string {
  const sorted = sortEntries(entries);
  let text = "";
  for (const length of shortenings) {
    text = JSON.stringify(sorted.map((entry) => withDetails(entry, length)));
    if (Buffer.byteLength(text) <= room) break;
  }
  return text;
}

/** Keeps the end, where logs say what went wrong. */
function withDetails(entry: TestStatusEntry, length: number): TestStatusEntry {
  const { details } = entry;
  if (details.length <= length) return entry;
  return { ...entry, details: length === 0 ? "" : `...${details.slice(-length)}` };
}

function sortEntries(entries: readonly TestStatusEntry[]): TestStatusEntry[] {
  return entries.toSorted((one, other) => compareText(one.scenario, other.scenario));
}
