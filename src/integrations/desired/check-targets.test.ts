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
  { reason: "B-18: an integration's name cannot have a dot, because no parameter can", name: "a.b" },
  { reason: "B-18: an integration's name cannot have an underscore", name: "a_b" },
  { reason: "an integration's name cannot have a capital letter", name: "Ab" },
  { reason: "an integration's name cannot end with a hyphen", name: "a-" },
  { reason: "B-10: an integration's name cannot be longer than a label value", name: "a".repeat(64) },
])("$reason", ({ name }) => {
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
  { reason: "no settings cause no warning", spec: {}, ignored: [] },
  {
    reason: "B-21: a storage setting without cache or state is a warning",
    spec: { storage: "1Gi", storageClassName: "x" },
    ignored: [["storage"], ["storageClassName"]],
  },
  { reason: "a storage setting with a cache causes no warning", spec: { storage: "1Gi", cache: true }, ignored: [] },
  { reason: "a storage setting with state causes no warning", spec: { storage: "1Gi", state: true }, ignored: [] },
  {
    reason: "B-24: a setting that a schedule does not use is a warning",
    spec: { cron: "@daily", cache: true, storage: "1Gi", sleepDurationSecs: "5" },
    ignored: [["cache"], ["storage"], ["sleepDurationSecs"]],
  },
  {
    reason: "B-24: a setting that only a schedule uses is a warning without a schedule",
    spec: {
      concurrencyPolicy: "Allow",
      restartPolicy: "Never",
      successfulJobHistoryLimit: 0,
      failedJobHistoryLimit: 0,
    },
    ignored: [["concurrencyPolicy"], ["restartPolicy"], ["successfulJobHistoryLimit"], ["failedJobHistoryLimit"]],
  },
  {
    reason: "a setting of schedules causes no warning with a schedule",
    spec: { cron: "@daily", restartPolicy: "Never" },
    ignored: [],
  },
  {
    reason: "B-6: logs.govSlack has no effect and is a warning",
    spec: { logs: { govSlack: true } },
    ignored: [["logs", "govSlack"]],
  },
  {
    reason: "a setting of logs is a warning when logs have no target",
    spec: { trigger: true, fluentdResources: {} },
    ignored: [["trigger"], ["fluentdResources"]],
  },
  {
    reason: "a setting of logs causes no warning when logs have a target",
    spec: { trigger: true, fluentdResources: {}, logs: { slack: true } },
    ignored: [],
  },
  { reason: "a setting that is switched off causes no warning", spec: { cron: "@daily", cache: false }, ignored: [] },
])("$reason", ({ spec, ignored }) => {
  expect(check(spec)).toEqual({ errors: [], warnings: ignored });
});

test("B-16: logs.slackErrorFilter without logs.slack is an error", () => {
  expect(check({ logs: { slackErrorFilter: true } }).errors).toEqual([["logs", "slackErrorFilter"]]);
  expect(check({ logs: { slackErrorFilter: true, slack: true } }).errors).toEqual([]);
});

test("arguments that no shell could split are an error", () => {
  expect(check({ extraArgs: "--a 'b" }).errors).toEqual([["extraArgs"]]);
});
