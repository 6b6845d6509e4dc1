import { isRecord } from "#base";
import type { KubeObject } from "#kube";
import type { ConditionChange } from "#runtime";
import { snapshotConditions } from "../kinds/promotion-names.ts";
import type { TestsDecision } from "./decide-tests.ts";
import { hasPassed, isFinal, type TestStatusEntry } from "./test-statuses.ts";

/** The names that conditions had before integration-service was renamed. */
const legacyConditions: Readonly<Record<string, string>> = {
  [snapshotConditions.integration]: "HACBSIntegrationStatus",
  [snapshotConditions.tests]: "HACBSStudioTestSucceeded",
};

/** How far the tests of a Snapshot are, by its conditions. */
export type TestsPhase = "new" | "running" | "finished" | "canceled" | "invalid";

export function phaseOf({ status }: KubeObject): TestsPhase {
  const conditions =
    isRecord(status) && Array.isArray(status["conditions"]) ? status["conditions"].filter(isRecord) : [];
  const find = (type: string) =>
    conditions.find((condition) => condition["type"] === type) ??
    conditions.find((condition) => condition["type"] === legacyConditions[type]);
  const integration = find(snapshotConditions.integration);
  const tests = find(snapshotConditions.tests);
  switch (integration?.["reason"]) {
    case "Canceled":
      return "canceled";
    case "Invalid":
      return "invalid";
    default:
      break;
  }
  if (integration?.["status"] === "True" && tests !== undefined && tests["status"] !== "Unknown") return "finished";
  return integration === undefined ? "new" : "running";
}

export interface Conclusion extends Pick<TestsDecision, "required" | "refused" | "isRerun"> {
  /** Of the Snapshot before. */
  readonly phase: TestsPhase;
  readonly entries: readonly TestStatusEntry[];
}

/** The conditions of a Snapshot that its tests call for; none if they stay as they are. */
export function concludeTests({ phase, entries, required, refused, isRerun }: Conclusion): ConditionChange[] {
  if (isRerun) return phase === "finished" ? [inProgress(snapshotConditions.tests), inProgress()] : [inProgress()];
  if (phase === "finished") return [];
  const entryOf = new Map(entries.map((entry) => [entry.scenario, entry]));
  const isRequired = (scenario: string) => required.includes(scenario);
  if (entries.some(isOpen) || required.some((scenario) => !entryOf.has(scenario))) return [inProgress()];
  const failed = entries.filter(({ scenario, status }) => isRequired(scenario) && !hasPassed(status));
  return [
    {
      type: snapshotConditions.tests,
      ...(failed.length === 0 && refused.length === 0
        ? { status: "True", reason: "Passed", message: passedMessage(required) }
        : { status: "False", reason: "Failed", message: failedMessage(failed, refused) }),
    },
    {
      type: snapshotConditions.integration,
      status: "True",
      reason: "Finished",
      message: "all required tests have finished",
    },
  ];
}

/** Required, or asked for by a person. */
function isOpen({ status, isOptionalScenario }: TestStatusEntry): boolean {
  return !isFinal(status) && isOptionalScenario !== true;
}

/** The conditions of a Snapshot whose tests a newer one makes pointless. */
export function cancelTests(): ConditionChange[] {
  return [
    {
      type: snapshotConditions.integration,
      status: "True",
      reason: "Canceled",
      message: "superseded by a newer Snapshot of the same pull request",
    },
  ];
}

/** The conditions of a Snapshot that has no room for the results of its tests: nothing is started that could not be remembered. */
export function refuseTests(): ConditionChange[] {
  return [
    {
      type: snapshotConditions.integration,
      status: "False",
      // integration-service's word.
      reason: "ErrorOccured",
      message:
        "the annotations of the Snapshot leave no room for the results of its tests: remove large ones that are not needed; all together have 256 KiB",
    },
  ];
}

function inProgress(type: string = snapshotConditions.integration): ConditionChange {
  return { type, status: "Unknown", reason: "InProgress", message: "the tests are running" };
}

function passedMessage(required: readonly string[]): string {
  // integration-service's words, which clients show.
  if (required.length === 0) return "No required IntegrationTestScenarios found, skipped testing";
  return "all required tests passed";
}

const mostNamed = 10;

function failedMessage(failed: readonly TestStatusEntry[], refused: readonly string[]): string {
  const named = failed.slice(0, mostNamed).map(({ scenario, status }) => `${scenario} (${status})`);
  const more = failed.length > mostNamed ? [`${failed.length - mostNamed} more`] : [];
  const tests = failed.length === 0 ? [] : [`failed tests: ${[...named, ...more].join(", ")}`];
  const tooMany =
    refused.length === 0
      ? []
      : [`${refused.length} scenarios were not run, because there are too many: delete some, such as ${refused[0]}`];
  return [...tests, ...tooMany].join("; ");
}
