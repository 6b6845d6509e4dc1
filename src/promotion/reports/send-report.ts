import type { Clock } from "#base";
import { type CommitStatus, type Forge, openForge } from "#forge";
import type { KubeClient } from "#kube";
import { hasPassed } from "../scenarios/test-statuses.ts";
import { allowsComments } from "./allows-comments.ts";
import { findReportCredentials } from "./report-credentials.ts";
import type { ReportDestination, ReportTarget } from "./report-destination.ts";
import type { ReportSettings } from "./report-settings.ts";
import { isSettled, type ReportChannel, reportedState } from "./report-state.ts";
import {
  reportComment,
  reportContext,
  reportDetails,
  type ReportedEntry,
  type ReportedTest,
  type ReportSubject,
  reportSummary,
  runLink,
} from "./report-text.ts";

/** The results of a Snapshot, for one commit. */
export interface Report {
  readonly target: ReportTarget;
  readonly subject: ReportSubject;
  /** All tests, for the comment. */
  readonly tests: readonly ReportedTest[];
  /** The scenarios whose status has changed. */
  readonly due: ReadonlySet<string>;
  readonly members: readonly ReportDestination[];
}

export interface SendReportDeps {
  readonly client: KubeClient;
  readonly clock: Pick<Clock, "now">;
  readonly settings: ReportSettings;
}

/** GitLab shows a pipeline of statuses, which no one reads beyond this many. */
const mostGitlabStatuses = 50;

/** Says on the forge how the tests went. Sent again, it changes nothing. */
export async function sendReport(report: Report, deps: SendReportDeps, signal: AbortSignal): Promise<void> {
  const { target, subject, tests } = report;
  const { credentials, certificateAuthority } = await findReportCredentials(
    subject.namespace,
    target,
    deps.client,
    signal,
  );
  const { forge: kind, repository } = target;
  await using opened = await openForge({ kind, repository, credentials, certificateAuthority, clock: deps.clock });
  const channel = credentials.kind === "app" ? "github-app" : kind;
  // A token of the repository may not write to the commits of a fork.
  if (channel !== "github" || !target.isFork) await sendStatuses(report, channel, opened.forge, deps.settings, signal);
  const { snapshot } = subject;
  // A build that runs or failed has a status of its own; a comment would only repeat it.
  if (snapshot === undefined || channel === "github-app") return;
  if (target.pullRequest === undefined) return;
  if (!(await allowsComments(subject.namespace, target, deps.client, signal))) return;
  const text = reportComment(tests, report.members, { ...subject, snapshot }, deps.settings);
  await opened.forge.keepComment(target.pullRequest, commentName(subject), text, signal);
}

/** A pull request has one comment for each component, and one for the group. */
function commentName({ namespace, name }: ReportSubject): string {
  return `tenon.dev/tests ${namespace}/${name}`;
}

async function sendStatuses(
  { target, subject, tests, due }: Report,
  channel: ReportChannel,
  forge: Forge,
  settings: ReportSettings,
  signal: AbortSignal,
): Promise<void> {
  if (channel === "gitlab" && tests.length > mostGitlabStatuses) {
    const all = tests.map(({ entry }) => entry);
    await forge.setCommitStatus(target.commit, consolidate(all, subject, settings), signal);
    return;
  }
  for (const test of tests.filter(({ entry }) => due.has(entry.scenario))) {
    await forge.setCommitStatus(target.commit, statusOf(test, subject, channel, settings), signal);
  }
}

function statusOf(
  test: ReportedTest,
  subject: ReportSubject,
  channel: ReportChannel,
  settings: ReportSettings,
): CommitStatus {
  const { entry } = test;
  const { state, title } = reportedState(entry.status, entry.isOptionalScenario ?? false, channel);
  const url = runLink(entry, subject, settings);
  const check = { title, text: reportDetails(test, subject, settings), id: `${entry.scenario}-${subject.name}` };
  return {
    context: reportContext(settings, entry.scenario, subject),
    state,
    description: reportSummary(entry, subject),
    ...(url === undefined ? {} : { url }),
    ...(channel === "github-app" ? { check } : {}),
  };
}

/** One status for all tests. */
function consolidate(
  entries: readonly ReportedEntry[],
  subject: ReportSubject,
  settings: ReportSettings,
): CommitStatus {
  const failed = entries.filter(({ status }) => isSettled(status) && !hasPassed(status));
  const open = entries.filter(({ status }) => !isSettled(status));
  const isFailed = failed.some(({ isOptionalScenario }) => isOptionalScenario !== true);
  return {
    context: reportContext(settings, "all tests", subject),
    state: isFailed ? "failure" : open.length > 0 ? "running" : "success",
    description: `${entries.length} tests: ${failed.length} failed, ${open.length} not finished`,
  };
}
