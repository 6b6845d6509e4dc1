import { isRecord } from "#base";
import type { KubeObject } from "#kube";
import { promotionAnnotations, promotionLabels, snapshotConditions } from "../kinds/promotion-names.ts";
import { parseTestStatuses, type TestStatusEntry } from "../scenarios/test-statuses.ts";

/** How far a Snapshot is, for people; those that need someone come first in this list. */
export const snapshotStates = ["Invalid", "Failed", "Testing", "Waiting", "Canceled", "Passed"] as const;
export type SnapshotState = (typeof snapshotStates)[number];

/** A Snapshot as tables and explanations show it. */
export interface SnapshotView {
  readonly namespace: string;
  readonly snapshot: string;
  readonly owner: string;
  /** `component`, `override`, `group`, or what others write. */
  readonly type: string;
  /** The Component that was built. */
  readonly component?: string;
  readonly state: SnapshotState;
  readonly since?: string;
  readonly created: string;
  readonly tests: readonly TestStatusEntry[];
  /** What is wrong, or what it says about itself. */
  readonly message?: string;
  readonly next?: string;
}

export function readSnapshotState({ metadata, spec, status }: KubeObject): SnapshotView {
  const { namespace = "", name, labels = {}, annotations = {}, creationTimestamp = "" } = metadata;
  const conditions =
    isRecord(status) && Array.isArray(status["conditions"]) ? status["conditions"].filter(isRecord) : [];
  const find = (type: string) => conditions.find((condition) => condition["type"] === type);
  const integration = find(snapshotConditions.integration);
  const tests = find(snapshotConditions.tests);
  const shown = hasProblem(integration) || !tests ? (integration ?? tests) : tests;
  const { application, componentGroup } = isRecord(spec) ? spec : {};
  const component = labels[promotionLabels.component];
  const state = stateOf(integration, tests);
  const entries = parseTestStatuses(annotations[promotionAnnotations.testStatus]);
  const message = text(shown?.["message"]);
  const since = text(shown?.["lastTransitionTime"]);
  const next = adviseSnapshot(state, `${namespace}/${name}`, entries, message);
  return {
    namespace,
    snapshot: name,
    owner: text(application) ?? text(componentGroup) ?? "",
    type: labels[promotionLabels.snapshotType] ?? "override",
    ...(component === undefined ? {} : { component }),
    state,
    ...(since === undefined ? {} : { since }),
    created: creationTimestamp,
    tests: entries,
    ...(message === undefined ? {} : { message }),
    ...(next === undefined ? {} : { next }),
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** Nothing is tested until someone changes something. */
function hasProblem(integration: Fields | undefined): boolean {
  return integration?.["reason"] === "Invalid" || integration?.["reason"] === "ErrorOccured";
}

function stateOf(integration: Fields | undefined, tests: Fields | undefined): SnapshotState {
  if (integration?.["reason"] === "Invalid") return "Invalid";
  if (integration?.["reason"] === "Canceled") return "Canceled";
  if (integration?.["reason"] === "ErrorOccured") return "Waiting";
  if (integration === undefined && tests === undefined) return "Waiting";
  if (tests?.["status"] === "True") return "Passed";
  return tests?.["status"] === "False" ? "Failed" : "Testing";
}

function adviseSnapshot(
  state: SnapshotState,
  key: string,
  tests: readonly TestStatusEntry[],
  message: string | undefined,
): string | undefined {
  if (state === "Invalid") return message;
  if (state === "Failed") {
    const failed = tests.filter((entry) => isTrouble(entry) && entry.isOptionalScenario !== true);
    const names = failed.map(({ scenario }) => scenario).join(", ");
    return `${names || "a test"} failed: see \`tenon explain snapshot/${key}\``;
  }
  if (state === "Waiting" && message !== undefined) return message;
  if (state === "Waiting") return "no controller has looked at it: run `tenon run --only promote --promote tests`";
  const waiting = tests.find(({ status }) => status === "Pending");
  return waiting && `${waiting.scenario}: ${waiting.details}`;
}

/** Whether a test did not pass and does not run any more. */
export function isTrouble({ status }: TestStatusEntry): boolean {
  return !["TestPassed", "TestWarning", "Pending", "InProgress"].includes(status);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
