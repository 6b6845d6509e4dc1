import { expect, test } from "vitest";
import type { JsonObject } from "#base";
import { checkNames, checkSettings } from "./check-targets.ts";
import { sampleSharded, sampleTarget } from "./sample-target.fixture.ts";

test("names of integrations and shards that are fine", () => {
  const sharded = [
    sampleSharded({ integration: "a-1" }, ["-0", "-1"]),
    sampleSharded({ integration: "b" }, ["-eu.x-1"]),
  ];
  expect(checkNames(sharded)).toEqual([]);
});

test.each([
  { reason: "B-18: a dot, which no parameter can have", name: "a.b" },
  { reason: "B-18: an underscore", name: "a_b" },
  { reason: "a capital letter", name: "Ab" },
  { reason: "a hyphen at the end", name: "a-" },
  { reason: "B-10: more than a label may have", name: "a".repeat(64) },
])("refuses an integration's name with $reason", ({ name }) => {
  expect(checkNames([sampleSharded({ integration: name })])).toMatchObject([{ integration: name, at: ["name"] }]);
});

test("C-11: all shards that cannot be part of an object name are named together", () => {
  const [found, ...more] = checkNames([sampleSharded({}, ["-ok", "-Bad", "-under_score", "-"])]);
  expect(more).toEqual([]);
  expect(found?.what).toBe('a: shards "Bad", "under_score", "" cannot be part of an object name');
});

test("G8-07: an integration that is in a namespace twice is an error in both targets", () => {
  const sharded = [sampleSharded({}), sampleSharded({ index: 1 }), sampleSharded({ integration: "b" })];
  expect(checkNames(sharded).map(({ integration, at }) => [integration, at])).toEqual([
    ["a", ["managed", 0, "namespace"]],
    ["a", ["managed", 1, "namespace"]],
  ]);
});

test("a shard and another integration of the same name clash, unless one of them runs on a schedule", () => {
  const sharded = [sampleSharded({}, ["-0", "-1"]), sampleSharded({ integration: "a-0" })];
  expect(checkNames(sharded).map(({ integration }) => integration)).toEqual(["a", "a-0"]);
  const scheduled = [sampleSharded({}, ["-0"]), sampleSharded({ integration: "a-0", spec: { cron: "@daily" } })];
  expect(checkNames(scheduled)).toEqual([]);
});

function check(spec: JsonObject) {
  const { errors, warnings } = checkSettings(sampleTarget({ spec }));
  return { errors: errors.map(({ at }) => at?.slice(3)), warnings: warnings.map(({ at }) => at?.slice(3)) };
}

test.each<{ reason: string; spec: JsonObject; ignored: readonly (readonly string[])[] }>([
  { reason: "nothing is set", spec: {}, ignored: [] },
  {
    reason: "B-21: a volume that neither cache nor state needs",
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

test("B-16: slackErrorFilter without slack is an error", () => {
  expect(check({ logs: { slackErrorFilter: true } }).errors).toEqual([["logs", "slackErrorFilter"]]);
  expect(check({ logs: { slackErrorFilter: true, slack: true } }).errors).toEqual([]);
});

test("arguments that no shell could split are an error", () => {
  expect(check({ extraArgs: "--a 'b" }).errors).toEqual([["extraArgs"]]);
});
