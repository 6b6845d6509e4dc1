import { expect, test } from "vitest";
import type { JsonObject } from "#base";
import { checkSettings } from "./check-settings.ts";
import { sampleTarget } from "./sample-target.fixture.ts";

function check(spec: JsonObject) {
  const { errors, warnings } = checkSettings(sampleTarget({ spec }));
  return { errors: errors.map(({ at }) => at?.slice(3)), warnings: warnings.map(({ at }) => at?.slice(3)) };
}

test.each<{ reason: string; spec: JsonObject; ignored: readonly (readonly string[])[] }>([
  { reason: "nothing is said", spec: {}, ignored: [] },
  {
    reason: "B-21: a volume that nobody asks for",
    spec: { storage: "1Gi", storageClassName: "x" },
    ignored: [["storage"], ["storageClassName"]],
  },
  { reason: "a volume for a cache", spec: { storage: "1Gi", cache: true }, ignored: [] },
  { reason: "a volume for state", spec: { storage: "1Gi", state: true }, ignored: [] },
  {
    reason: "B-24: what a schedule has no use for",
    spec: { cron: "@daily", cache: true, storage: "1Gi", sleepDurationSecs: "5" },
    ignored: [["cache"], ["storage"], ["sleepDurationSecs"]],
  },
  {
    reason: "B-24: what only a schedule has a use for",
    spec: {
      concurrencyPolicy: "Allow",
      restartPolicy: "Never",
      successfulJobHistoryLimit: 0,
      failedJobHistoryLimit: 0,
    },
    ignored: [["concurrencyPolicy"], ["restartPolicy"], ["successfulJobHistoryLimit"], ["failedJobHistoryLimit"]],
  },
  { reason: "the same with a schedule", spec: { cron: "@daily", restartPolicy: "Never" }, ignored: [] },
  {
    reason: "B-6: the Slack of the government cloud",
    spec: { logs: { govSlack: true } },
    ignored: [["logs", "govSlack"]],
  },
  {
    reason: "logs that go nowhere",
    spec: { trigger: true, fluentdResources: {} },
    ignored: [["trigger"], ["fluentdResources"]],
  },
  {
    reason: "logs that go somewhere",
    spec: { trigger: true, fluentdResources: {}, logs: { slack: true } },
    ignored: [],
  },
  { reason: "what is switched off", spec: { cron: "@daily", cache: false }, ignored: [] },
])("warns of each field without effect: $reason", ({ spec, ignored }) => {
  expect(check(spec)).toEqual({ errors: [], warnings: ignored });
});

test("B-16: errors alone to Slack, and nothing to Slack, is an error", () => {
  expect(check({ logs: { slackErrorFilter: true } }).errors).toEqual([["logs", "slackErrorFilter"]]);
  expect(check({ logs: { slackErrorFilter: true, slack: true } }).errors).toEqual([]);
});

test("arguments that no shell could split are an error", () => {
  expect(check({ extraArgs: "--a 'b" }).errors).toEqual([["extraArgs"]]);
});
