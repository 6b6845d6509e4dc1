import { parseTestOutput, type TestOutput } from "./parse-test-output.ts";

/** A part of a run that may say how its tests went: a TaskRun, or a container of a Job. */
export interface RunTask {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startedAt?: number;
  readonly finishedAt?: number;
  /** The text of its TEST_OUTPUT; undefined if it has none. */
  readonly output?: string;
}

/** What is known of a run. */
export interface RunObservation {
  readonly progress: "running" | "succeeded" | "failed";
  readonly isDeleting: boolean;
  /** Why it failed, in the words of what ran it. */
  readonly message?: string;
  readonly tasks: readonly RunTask[];
  /** How many tasks the run had, if that is known: fewer are left if someone deleted some. */
  readonly expectedTasks?: number;
}

export type RunStatus = "InProgress" | "Deleted" | "TestInvalid" | "TestFail" | "TestWarning" | "TestPassed";

export interface RunVerdict {
  readonly status: RunStatus;
  readonly details: string;
}

/** The outcome of a run. Only results count, not the numbers beside them; a task without TEST_OUTPUT is neutral. */
export function evaluateRun({ progress, isDeleting, message, tasks, expectedTasks }: RunObservation): RunVerdict {
  if (progress === "running") {
    return isDeleting
      ? { status: "Deleted", details: "the run was deleted before it finished; run the test again" }
      : { status: "InProgress", details: "the test is running" };
  }
  if (expectedTasks !== undefined && expectedTasks !== tasks.length) {
    const details = `the run had ${expectedTasks} TaskRuns, and ${tasks.length} are left, so its result is not known; run the test again, and let TaskRuns live longer`;
    return { status: "TestInvalid", details };
  }
  if (progress === "failed") {
    return { status: "TestFail", details: `the test failed${message === undefined ? "" : `: ${message}`}` };
  }
  const outputs: TestOutput[] = [];
  const problems: string[] = [];
  for (const { name, output } of tasks) {
    const parsed = output === undefined ? undefined : parseTestOutput(output);
    if (parsed?.kind === "valid") outputs.push(parsed.output);
    else if (parsed) problems.push(...parsed.problems.map((problem) => `TEST_OUTPUT of ${name}: ${problem}`));
  }
  if (problems.length > 0) return { status: "TestFail", details: problems.join("; ") };
  const worst = (...results: readonly TestOutput["result"][]) => outputs.find(({ result }) => results.includes(result));
  const failed = worst("FAILURE", "ERROR");
  if (failed) return { status: "TestFail", details: describeOutput(failed) };
  const warned = worst("WARNING");
  if (warned) return { status: "TestWarning", details: describeOutput(warned) };
  return { status: "TestPassed", details: "the test passed" };
}

function describeOutput({ result, successes, failures, warnings, note }: TestOutput): string {
  const counts = `${result}: ${successes} passed, ${failures} failed, ${warnings} with warnings`;
  return note === undefined || note === "" ? counts : `${counts}; ${note}`;
}
