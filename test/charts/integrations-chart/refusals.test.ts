import { describe, expect, test } from "vitest";
import { describeError, type JsonObject } from "#base";
import { oneShard, renderTemplate, valuesOf } from "./render-integrations.ts";

function refusal(values: JsonObject): string {
  try {
    renderTemplate(values);
  } catch (error) {
    return describeError(error);
  }
  return "accepted";
}

describe("the chart refuses", () => {
  test.each<{ reason: string; settings: JsonObject; says: string[] }>([
    {
      reason: "an unknown setting",
      settings: { statee: true },
      says: ["integrations[0]", "'statee' not allowed"],
    },
    {
      reason: "an unknown setting of logs",
      settings: { logs: { teams: true } },
      says: ["logs", "'teams' not allowed"],
    },
    {
      reason: "an unknown resource",
      settings: { resources: { limits: { gpu: "1" } } },
      says: ["limits", "'gpu' not allowed"],
    },
    {
      reason: "an unknown override",
      settings: { shard_specs: [{ shard_spec_overrides: { cron: "x" } }] },
      says: ["'cron' not allowed"],
    },
    {
      reason: "an unknown field of a shard",
      settings: { shard_specs: [{ shardId: "0" }] },
      says: ["'shardId' not allowed"],
    },
    {
      reason: "an unknown field of a variable",
      settings: { extraEnv: [{ name: "A", value: "a", optional: true }] },
      says: ["'optional' not allowed"],
    },
    {
      reason: "an unknown field of a probe",
      settings: { livenessProbe: { httpget: {} } },
      says: ["livenessProbe", "'httpget' not allowed"],
    },
    { reason: "a flag that is text", settings: { state: "true" }, says: ["state", "got string, want boolean"] },
    {
      reason: "a number of a shard that is a number",
      settings: { shard_specs: [{ ...oneShard, shard_id: 0 }] },
      says: ["shard_id", "got number, want string"],
    },
    {
      reason: "an annotation that is not a string",
      settings: { podAnnotations: { line: 3 } },
      says: ["podAnnotations.line", "got number, want string"],
    },
    {
      reason: "a label that is not a string",
      settings: { podLabels: { on: true } },
      says: ["podLabels.on", "got boolean, want string"],
    },
    {
      reason: "a node label that is not a string",
      settings: { nodeSelector: { ssd: true } },
      says: ["nodeSelector.ssd", "got boolean, want string"],
    },
    { reason: "a label that the chart sets", settings: { podLabels: { app: "x" } }, says: ["podLabels.app"] },
    { reason: "the label of the Service", settings: { podLabels: { component: "x" } }, says: ["podLabels.component"] },
    {
      reason: "the label of a shard",
      settings: { podLabels: { "tenon.dev/shard": "x" } },
      says: ['podLabels["tenon.dev/shard"]'],
    },
    {
      reason: "the annotation of the log shipper",
      settings: { podAnnotations: { "tenon.dev/fluent.conf": "x" } },
      says: ['podAnnotations["tenon.dev/fluent.conf"]'],
    },
    {
      reason: "a value that is not a string",
      settings: { extraEnv: [{ name: "A", value: true }] },
      says: ["extraEnv[0].value", "got boolean, want string"],
    },
    {
      reason: "a variable of two kinds at once",
      settings: { extraEnv: [{ name: "A", value: "", secretName: "s", secretKey: "k" }] },
      says: ["extraEnv[0]"],
    },
    {
      reason: "a variable of half a kind",
      settings: { extraEnv: [{ secretName: "s" }] },
      says: ["extraEnv[0]", "'secretKey'"],
    },
    {
      reason: "a variable that is set twice",
      settings: {
        extraEnv: [
          { name: "A", value: "1" },
          { secretName: "s", secretKey: "A" },
        ],
      },
      says: ["a: extraEnv sets A twice"],
    },
    {
      reason: "a user that is root",
      settings: { podSecurityContext: { runAsUser: 0 } },
      says: ["podSecurityContext.runAsUser"],
    },
    {
      reason: "privileges",
      settings: { podSecurityContext: { runAsNonRoot: false } },
      says: ["'runAsNonRoot' not allowed"],
    },
    {
      reason: "a sleep duration that is not a number",
      settings: { sleepDurationSecs: "10m" },
      says: ["sleepDurationSecs", "'10m'"],
    },
    { reason: "a pull secret without a name", settings: { imagePullSecrets: ["pull"] }, says: ["imagePullSecrets[0]"] },
    {
      reason: "an entrypoint that is a text",
      settings: { entrypoint: "run" },
      says: ["entrypoint", "got string, want array"],
    },
    { reason: "a schedule of four fields", settings: { cron: "0 0 * *" }, says: ["cron", "'0 0 * *'"] },
    { reason: "a schedule by an unknown word", settings: { cron: "@noon" }, says: ["cron", "'@noon'"] },
    {
      reason: "Always, which Kubernetes refuses for jobs",
      settings: { cron: "@daily", restartPolicy: "Always" },
      says: ["restartPolicy", "'OnFailure', 'Never'"],
    },
    {
      reason: "an unknown concurrency policy",
      settings: { cron: "@daily", concurrencyPolicy: "Wait" },
      says: ["concurrencyPolicy", "'Forbid'"],
    },
    {
      reason: "a limit below zero",
      settings: { cron: "@daily", failedJobHistoryLimit: -1 },
      says: ["failedJobHistoryLimit"],
    },
    {
      reason: "a limit that is a half",
      settings: { cron: "@daily", successfulJobHistoryLimit: 0.5 },
      says: ["successfulJobHistoryLimit"],
    },
    {
      reason: "B-16: logs.slackErrorFilter without logs.slack is refused",
      settings: { logs: { slackErrorFilter: true } },
      says: ["a: logs.slackErrorFilter is for logs.slack"],
    },
  ])("$reason", ({ settings, says }) => {
    const text = refusal(valuesOf(settings));
    for (const words of says) expect(text).toContain(words);
  });

  test("an unknown list of values", () => {
    expect(refusal({ jobs: [] })).toContain("'jobs' not allowed");
  });

  test("an integration without name or shards", () => {
    expect(refusal({ integrations: [{}] })).toContain("'name', 'shard_specs'");
  });

  test("a CronJob without a schedule", () => {
    expect(refusal({ cronjobs: [{ name: "a", shard_specs: [] }] })).toContain("'cron'");
  });

  test.each<{ reason: string; values: JsonObject; parameter: string }>([
    {
      reason: "names that differ in - and _",
      values: valuesOf(
        { name: "a-b", resources: { limits: { cpu: "1" } } },
        { name: "a_b", resources: { limits: { cpu: "1" } } },
      ),
      parameter: "A_B_CPU_LIMIT",
    },
    {
      reason: "one that ends like a log shipper",
      values: valuesOf(
        { fluentdResources: { limits: { cpu: "1" } } },
        { name: "a-fluentd", resources: { limits: { cpu: "1" } } },
      ),
      parameter: "A_FLUENTD_CPU_LIMIT",
    },
  ])("B-31: two integrations that would declare the same parameter are refused: $reason", ({ values, parameter }) => {
    expect(refusal(values)).toContain(parameter);
  });
});

describe("the chart accepts", () => {
  test.each(["*/5 * * * *", "0 */2 * * *", "30 3 * * MON-FRI", "0 0 1,15 * ?", "@every 1h30m", "@midnight"])(
    "the schedule %s",
    (cron) => {
      expect(refusal(valuesOf({ cron }))).toBe("accepted");
    },
  );

  test("what the data has no effect with: extraArgs, govSlack, settings of schedules without one", () => {
    const settings = {
      extraArgs: "x",
      logs: { govSlack: true },
      concurrencyPolicy: "Forbid",
      failedJobHistoryLimit: 0,
    };
    expect(refusal(valuesOf(settings))).toBe("accepted");
  });
});
