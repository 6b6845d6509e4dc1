import { formatDuration } from "#base";
import { cutForgeText, forgeCode, forgeLink, forgeTable, forgeText } from "../forge-markdown.ts";
import type { RunTask } from "../scenarios/evaluate-run.ts";
import { parseTestOutput } from "../scenarios/parse-test-output.ts";
import { hasPassed, type TestStatusEntry } from "../scenarios/test-statuses.ts";
import type { ReportDestination } from "./report-destination.ts";
import { isSettled, reportedState, type ReportedStatus } from "./report-state.ts";
import { fillLink, type ReportSettings } from "./report-settings.ts";

/** What is tested, as reports call it. */
export interface ReportSubject {
  readonly namespace: string;
  /** The Snapshot that was tested; undefined while the build has not become one. */
  readonly snapshot: string | undefined;
  /** The component, or `pr group`. */
  readonly name: string;
  readonly isGroup: boolean;
}

/** The state of a test, or of the build that it waits for. */
export interface ReportedEntry extends Omit<TestStatusEntry, "status"> {
  readonly status: ReportedStatus;
}

export interface ReportedTest {
  readonly entry: ReportedEntry;
  /** What is still known of its run. */
  readonly tasks: readonly RunTask[];
}

/** The name of a status, of which a commit has one each. */
export function reportContext({ name }: ReportSettings, scenario: string, subject: ReportSubject): string {
  return [name, scenario, subject.name].filter((part) => part !== "").join(" / ");
}

/** One sentence. */
export function reportSummary(
  { scenario, status, isOptionalScenario = false }: ReportedEntry,
  subject: ReportSubject,
): string {
  const of = subject.isGroup ? subject.name : `component ${subject.name}`;
  const optional = isOptionalScenario ? "optional " : "";
  const { verb } = reportedState(status, isOptionalScenario, "github");
  const snapshot = subject.snapshot === undefined ? "" : ` snapshot ${subject.snapshot}`;
  return `Integration test for ${of}${snapshot} and ${optional}scenario ${scenario} ${verb}`;
}

export function runLink(
  { testPipelineRunName }: ReportedEntry,
  { namespace }: ReportSubject,
  settings: ReportSettings,
) {
  if (testPipelineRunName === undefined) return undefined;
  return fillLink(settings.runUrl, { NAMESPACE: namespace, PIPELINE_RUN_NAME: testPipelineRunName });
}

/** The details of one test, in Markdown. */
export function reportDetails(
  { entry, tasks }: ReportedTest,
  subject: ReportSubject,
  settings: ReportSettings,
): string {
  const { testPipelineRunName: run, details } = entry;
  const parts = [
    ...(run === undefined ? [] : [`Run ${forgeLink(run, runLink(entry, subject, settings))}`]),
    ...(details === "" ? [] : [forgeText(details)]),
    ...(tasks.length === 0 ? [] : [taskTable(run ?? "", tasks, subject, settings)]),
  ];
  return cutForgeText(parts.join("\n\n"));
}

/** The one comment about a component: failed tests with their tasks first, passed ones as links. */
export function reportComment(
  tests: readonly ReportedTest[],
  members: readonly ReportDestination[],
  subject: ReportSubject & { readonly snapshot: string },
  settings: ReportSettings,
): string {
  const of = subject.isGroup ? "the pull request group" : `component ${forgeCode(subject.name)}`;
  const page = fillLink(settings.snapshotUrl, { NAMESPACE: subject.namespace, SNAPSHOT_NAME: subject.snapshot });
  const isOpen = ({ entry }: ReportedTest) => !isSettled(entry.status);
  const failed = tests.filter(({ entry }) => isSettled(entry.status) && !hasPassed(entry.status));
  const passed = tests.filter(({ entry }) => hasPassed(entry.status));
  const parts = [
    `### ${forgeText(settings.name)}: tests of ${of}`,
    `Snapshot ${forgeLink(subject.snapshot, page)}: ${failed.length} failed, ${passed.length} passed, ${tests.filter(isOpen).length} not finished.`,
    ...failed.map((test) => `#### ${headline(test)}\n\n${reportDetails(test, subject, settings)}`),
    ...tests.filter(isOpen).map((test) => `- ${headline(test)}`),
    ...(passed.length === 0
      ? []
      : [
          `Passed: ${passed.map(({ entry }) => forgeLink(entry.scenario, runLink(entry, subject, settings))).join(", ")}`,
        ]),
    ...(members.length === 0 ? [] : [memberTable(members, subject, settings)]),
  ];
  return cutForgeText(parts.join("\n\n"));
}

function headline({ entry: { scenario, status, isOptionalScenario = false } }: ReportedTest): string {
  const { verb } = reportedState(status, isOptionalScenario, "github");
  return `${forgeCode(scenario)}${isOptionalScenario ? " (optional)" : ""} ${verb}`;
}

function taskTable(
  run: string,
  tasks: readonly RunTask[],
  { namespace }: ReportSubject,
  settings: ReportSettings,
): string {
  const rows = tasks.map(({ name, startedAt, finishedAt, output }) => {
    const values = { NAMESPACE: namespace, PIPELINE_RUN_NAME: run, TASK_NAME: name };
    const duration = startedAt === undefined || finishedAt === undefined ? "" : formatDuration(finishedAt - startedAt);
    const parsed = output === undefined ? undefined : parseTestOutput(output);
    if (parsed?.kind !== "valid") {
      const problems = parsed?.problems.join("; ") ?? "";
      return [forgeLink(name, fillLink(settings.taskLogUrl, values)), duration, "", "", forgeText(problems), ""];
    }
    const { result, successes, failures, warnings, namespace: suite = "", note = "" } = parsed.output;
    const counts = `${successes} passed, ${failures} failed, ${warnings} with warnings`;
    return [
      forgeLink(name, fillLink(settings.taskLogUrl, values)),
      duration,
      forgeText(suite),
      result,
      counts,
      forgeText(note),
    ];
  });
  return forgeTable(["Task", "Duration", "Test Suite", "Status", "Details", "Note"], rows);
}

function memberTable(
  members: readonly ReportDestination[],
  { namespace }: ReportSubject,
  settings: ReportSettings,
): string {
  const rows = members.map(({ component, snapshot, buildRun = "", pullRequest = "" }) => [
    forgeText(component),
    forgeLink(snapshot, fillLink(settings.snapshotUrl, { NAMESPACE: namespace, SNAPSHOT_NAME: snapshot })),
    forgeLink(buildRun, fillLink(settings.runUrl, { NAMESPACE: namespace, PIPELINE_RUN_NAME: buildRun })),
    forgeText(pullRequest),
  ]);
  return forgeTable(["Component", "Snapshot", "BuildPipelineRun", "PullRequest"], rows);
}
