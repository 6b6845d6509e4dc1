import { type FieldPath, formatFieldPath, InputError, isJsonObject } from "#base";
import { type IntegrationFinding, type IntegrationFindings, targetFinding } from "../data/integration-finding.ts";
import type { ManagedTarget } from "../data/integration.ts";
import { hasSchedule, type ShardedTarget } from "./render-targets.ts";
import { splitArguments } from "./split-arguments.ts";

/** Also what the names of its parameters are made of: others could not be referred to. */
const integrationName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const objectName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const longestLabel = 63;

/** What is wrong with the names of one namespace, before a chart has made its own of them. */
export function checkNames(sharded: readonly ShardedTarget[]): IntegrationFinding[] {
  return [...sharded.flatMap(illegalNames), ...repeated(sharded), ...clashes(sharded)];
}

function illegalNames({ target, shards }: ShardedTarget): IntegrationFinding[] {
  const { integration } = target;
  if (!integrationName.test(integration)) {
    const what = `${JSON.stringify(integration)} is not a valid name for an integration`;
    const next = "use lower-case letters, digits and -, with a letter or digit at both ends";
    return [{ ...targetFinding(target, [], what, next), at: ["name"] }];
  }
  if (integration.length > longestLabel) {
    const what = `the name ${integration} has ${integration.length} characters; labels may have at most ${longestLabel}`;
    return [{ ...targetFinding(target, [], what, "choose a shorter name"), at: ["name"] }];
  }
  const illegal = shards.filter(({ shard_name_suffix: suffix }) => !objectName.test(`${integration}${suffix}`));
  if (illegal.length === 0) return [];
  const names = illegal.map(({ shard_key: key, shard_id: id }) => JSON.stringify(key || id)).join(", ");
  const what = `${integration}: ${illegal.length === 1 ? "shard" : "shards"} ${names} cannot be part of an object name`;
  const next = "name what they are for with lower-case letters, digits, - and . only";
  return [targetFinding(target, ["sharding"], what, next)];
}

/** An integration that is there twice would be two objects of one name. */
function repeated(sharded: readonly ShardedTarget[]): IntegrationFinding[] {
  const byName = Map.groupBy(sharded, ({ target }) => target.integration);
  return [...byName.values()]
    .filter(({ length }) => length > 1)
    .flatMap((found) =>
      found.map(({ target }) => {
        const others = found.filter((other) => other.target !== target).map(({ target: other }) => describe(other));
        const what = `${target.integration} already runs in namespace ${target.namespace.name}: ${others.join(", ")}`;
        return targetFinding(target, ["namespace"], what, "keep one of them");
      }),
    );
}

function describe({ where, index }: ShardedTarget["target"]): string {
  return `managed[${index}] of ${where}`;
}

/** `a` in parts is `a-0` and `a-1`, and there may be an integration of that name. */
function clashes(sharded: readonly ShardedTarget[]): IntegrationFinding[] {
  const named = sharded.flatMap((one) =>
    one.shards.map(({ shard_name_suffix: suffix }) => ({ one, name: `${one.target.integration}${suffix}` })),
  );
  const byName = Map.groupBy(named, ({ one, name }) => `${hasSchedule(one.target)} ${name}`);
  return [...byName.values()].flatMap((found) => {
    const integrations = new Set(found.map(({ one }) => one.target.integration));
    if (integrations.size < 2) return [];
    return found.map(({ one: { target }, name }) => {
      const others = [...integrations].filter((other) => other !== target.integration).join(", ");
      const what = `${target.integration} and ${others} would both have an object named ${name}`;
      return targetFinding(target, [], what, "rename one of them");
    });
  });
}

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
