import type { CommitState, ForgeKind } from "#forge";
import type { TestStatus } from "../scenarios/test-statuses.ts";

/** How a forge shows the state of a test. */
export interface ReportedState {
  readonly state: CommitState;
  /** The title of a check run. */
  readonly title: string;
  /** The end of the sentence "Integration test for ... ". */
  readonly verb: string;
}

/** Where a test is reported: GitHub's App writes check runs, which know more states than commit statuses. */
export type ReportChannel = ForgeKind | "github-app";

/** What is reported of a test while its Snapshot does not exist. */
export type BuildReportStatus = "BuildPLRInProgress" | "BuildPLRFailed" | "SnapshotCreationFailed";
/** What is reported of a test of a group Snapshot that could not be created. */
export type GroupReportStatus = "GroupSnapshotCreationFailed";
export type ReportedStatus = TestStatus | BuildReportStatus | GroupReportStatus;

/** Whether nothing more is expected of a test. */
export function isSettled(status: ReportedStatus): boolean {
  return status !== "Pending" && status !== "InProgress" && status !== "BuildPLRInProgress";
}

const words: Readonly<Record<ReportedStatus, Pick<ReportedState, "title" | "verb">>> = {
  Pending: { title: "Pending", verb: "is pending" },
  InProgress: { title: "In Progress", verb: "is in progress" },
  TestPassed: { title: "Succeeded", verb: "has passed" },
  TestWarning: { title: "Warning", verb: "has warning(s)" },
  TestFail: { title: "Failed", verb: "has failed" },
  TestInvalid: { title: "Errored", verb: "is invalid" },
  EnvironmentProvisionError: { title: "Errored", verb: "experienced an error when provisioning environment" },
  DeploymentError: { title: "Errored", verb: "experienced an error when deploying" },
  Deleted: { title: "Deleted", verb: "was deleted before the pipelineRun could finish" },
  BuildPLRInProgress: { title: "Pending", verb: "waits for the build to finish" },
  BuildPLRFailed: { title: "Canceled", verb: "did not run, because the build failed" },
  SnapshotCreationFailed: { title: "Canceled", verb: "did not run, because the build did not become a Snapshot" },
  GroupSnapshotCreationFailed: {
    title: "Canceled",
    verb: "did not run, because the group Snapshot could not be created",
  },
};

type States = Readonly<Record<ReportChannel, readonly [required: CommitState, optional: CommitState]>>;

const everywhere = (state: CommitState): States => {
  const both = [state, state] as const;
  return { github: both, "github-app": both, gitlab: both, gitea: both };
};
const invalid: States = {
  github: ["error", "error"],
  "github-app": ["error", "warning"],
  gitlab: ["failure", "skipped"],
  gitea: ["error", "success"],
};

/** Required checks must not pass: a pull request whose build failed would be merged untested. */
const notRun: States = {
  ...everywhere("canceled"),
  github: ["failure", "failure"],
  gitea: ["error", "error"],
};

/** A failed test that is optional must not keep a pull request from being merged, where the forge can show that. */
const states: Readonly<Record<ReportedStatus, States>> = {
  Pending: everywhere("pending"),
  InProgress: { ...everywhere("running"), gitlab: ["running", "pending"] },
  TestPassed: everywhere("success"),
  TestWarning: everywhere("warning"),
  TestFail: {
    github: ["failure", "failure"],
    "github-app": ["failure", "warning"],
    gitlab: ["failure", "skipped"],
    gitea: ["error", "warning"],
  },
  TestInvalid: invalid,
  EnvironmentProvisionError: invalid,
  DeploymentError: invalid,
  Deleted: { ...invalid, gitlab: ["canceled", "canceled"], gitea: ["error", "error"] },
  BuildPLRInProgress: everywhere("pending"),
  BuildPLRFailed: notRun,
  SnapshotCreationFailed: notRun,
  GroupSnapshotCreationFailed: notRun,
};

export function reportedState(status: ReportedStatus, isOptional: boolean, channel: ReportChannel): ReportedState {
  return { ...words[status], state: states[status][channel][isOptional ? 1 : 0] };
}
