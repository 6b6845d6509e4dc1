import { type FieldPath, formatFieldPath, InputError, isJsonObject } from "#base";
import type { ManagedTarget } from "../data/integration.ts";
import { type IntegrationFinding, targetFinding, type IntegrationFindings } from "../data/integration-finding.ts";
import { splitArguments } from "./split-arguments.ts";
import { hasSchedule } from "./chart-values.ts";

/** What our chart has no use for in what runs on a schedule, and in what does not. */
const onlyWithoutSchedule = [
  "cache",
  "storage",
  "storageClassName",
  "sleepDurationSecs",
  "livenessProbe",
  "readinessProbe",
];
const onlyWithSchedule = ["concurrencyPolicy", "restartPolicy", "successfulJobHistoryLimit", "failedJobHistoryLimit"];

/** Settings of one target that contradict each other, and those that have no effect. */
export function checkSettings(target: ManagedTarget): IntegrationFindings {
  const { spec } = target;
  const logs = isJsonObject(spec["logs"]) ? spec["logs"] : {};
  const errors: IntegrationFinding[] = [];
  const warnings: IntegrationFinding[] = [];
  const ignored = (at: FieldPath, why: string): void => {
    const what = `${formatFieldPath(at)} of ${target.integration} has no effect: ${why}`;
    warnings.push(targetFinding(target, ["spec", ...at], what, "delete it"));
  };
  const [others, why] = hasSchedule(target)
    ? [onlyWithoutSchedule, "it runs on a schedule"]
    : [onlyWithSchedule, "it runs without a schedule"];
  for (const key of others) if (spec[key] !== undefined && spec[key] !== false) ignored([key], why);
  if (!hasSchedule(target) && !spec["cache"] && !spec["state"]) {
    for (const key of ["storage", "storageClassName"]) {
      if (spec[key] !== undefined) ignored([key], "neither cache nor state is set");
    }
  }
  if (!logs["slack"] && !logs["googleChat"]) {
    if (spec["trigger"]) ignored(["trigger"], "logs are not sent to a chat");
    if (spec["fluentdResources"] && !logs["cloudwatch"]) ignored(["fluentdResources"], "logs are not sent anywhere");
  }
  if (logs["govSlack"]) ignored(["logs", "govSlack"], "it is not passed to the chart");
  if (logs["slackErrorFilter"] && !logs["slack"]) {
    const what = `logs.slackErrorFilter of ${target.integration} is set, but logs.slack is not`;
    const at = ["spec", "logs", "slackErrorFilter"];
    errors.push(targetFinding(target, at, what, "add slack: true, or delete slackErrorFilter"));
  }
  const problem = argumentProblem(spec["extraArgs"]);
  if (problem) errors.push(targetFinding(target, ["spec", "extraArgs"], problem.what, problem.next));
  return { errors, warnings };
}

function argumentProblem(line: unknown): InputError | undefined {
  try {
    if (typeof line === "string") splitArguments(line);
    return undefined;
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
}
