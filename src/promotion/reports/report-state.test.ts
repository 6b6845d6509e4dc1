import { describe, expect, test } from "vitest";
import { type ReportChannel, type ReportedStatus, reportedState } from "./report-state.ts";

/** The states of a required and of an optional test: GitHub's App, GitHub, GitLab, Gitea. */
const rows: readonly (readonly [ReportedStatus, ...(readonly [string, string])[]])[] = [
  ["Pending", ["pending", "pending"], ["pending", "pending"], ["pending", "pending"], ["pending", "pending"]],
  ["InProgress", ["running", "running"], ["running", "running"], ["running", "pending"], ["running", "running"]],
  ["TestPassed", ["success", "success"], ["success", "success"], ["success", "success"], ["success", "success"]],
  ["TestWarning", ["warning", "warning"], ["warning", "warning"], ["warning", "warning"], ["warning", "warning"]],
  ["TestFail", ["failure", "warning"], ["failure", "failure"], ["failure", "skipped"], ["error", "warning"]],
  ["TestInvalid", ["error", "warning"], ["error", "error"], ["failure", "skipped"], ["error", "success"]],
  ["DeploymentError", ["error", "warning"], ["error", "error"], ["failure", "skipped"], ["error", "success"]],
  ["Deleted", ["error", "warning"], ["error", "error"], ["canceled", "canceled"], ["error", "error"]],
  [
    "GroupSnapshotCreationFailed",
    ["canceled", "canceled"],
    ["failure", "failure"],
    ["canceled", "canceled"],
    ["error", "error"],
  ],
];
const channels: readonly ReportChannel[] = ["github-app", "github", "gitlab", "gitea"];

describe("the state of a reported test", () => {
  test.each(rows.map(([status, ...expected]) => ({ status, expected })))(
    "P24: $status is shown by each forge, and blocks only if the test is required",
    ({ status, expected }) => {
      const shown = channels.map((channel) =>
        [false, true].map((isOptional) => reportedState(status, isOptional, channel).state),
      );
      expect(shown).toEqual(expected);
    },
  );
});
