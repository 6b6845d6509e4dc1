import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { JsonObject, JsonValue } from "#base";
import { clusterShard, look, objectsIn, renderOne } from "./render-integrations.ts";

interface Row {
  readonly reason: string;
  readonly settings: JsonObject;
  /** A text, `Secret/key`, `Secret/key?` if it need not be there, or nothing if the variable is not set. */
  readonly expected: Readonly<Record<string, string | undefined>>;
  readonly parameters?: Record<string, string>;
}

const SecretKey = z.object({ name: z.string(), key: z.string(), optional: z.boolean().optional() });
const hourly = { cron: "@hourly" };
const cluster = { shard_specs: [clusterShard("c1")] };
const subShard = { ...clusterShard("c1"), shards: "2", shard_id: "1", shard_name_suffix: "-c1-1" };
const odd = ` --k '[{"a": "b c"}]' \\n`;
const manager = ["MANAGER_DRY_RUN", "UPSTREAM", "IMAGE", "IMAGE_TAG_FROM_REF"].map((name) =>
  name.startsWith("MANAGER") ? name : `INTEGRATIONS_MANAGER_${name}`,
);
const aware = ["ENVIRONMENT_NAME", "IMAGE", "IMAGE_TAG", "IMAGE_DIGEST", "FLUENTD_IMAGE", "CLOUDWATCH_SECRET"];
const toItself = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, `value of ${name}`]));
const toNothing = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, undefined]));
const state = {
  APP_INTERFACE_STATE_BUCKET: "app-interface/aws.s3.bucket?",
  APP_INTERFACE_STATE_BUCKET_ACCOUNT: "acc",
  APP_INTERFACE_STATE_BUCKET_REGION: "app-interface/aws.region?",
  APP_INTERFACE_STATE_AWS_PROFILE: "app-interface/aws.profile.state?",
  AWS_CONFIG_FILE: "/aws/config",
};
const account = { APP_INTERFACE_STATE_BUCKET_ACCOUNT: "acc" };
const unleash = {
  UNLEASH_API_URL: "unleash/API_URL?",
  UNLEASH_CLIENT_ACCESS_TOKEN: "unleash/CLIENT_ACCESS_TOKEN?",
};
const pushgateway = {
  PUSHGATEWAY_ENABLED: "true",
  PUSHGATEWAY_URL: "gate/server",
  PUSHGATEWAY_USERNAME: "gate/username",
  PUSHGATEWAY_PASSWORD: "gate/password",
};
const gate = { PUSHGATEWAY_SECRET_NAME: "gate" };

describe("the variables of an integration", () => {
  test.each<Row>([
    {
      reason: "C-16: a shard gets its number as a variable, 0 too",
      settings: {},
      expected: { SHARDS: "1", SHARD_ID: "0", SHARD_KEY: undefined },
    },
    {
      reason: "C-16: a shard of a cluster gets its key as a variable",
      settings: cluster,
      expected: { SHARDS: undefined, SHARD_ID: undefined, SHARD_KEY: "c1" },
    },
    {
      reason: "C-16: a part of a sub-sharded cluster gets its number and its key as variables",
      settings: { shard_specs: [subShard] },
      expected: { SHARDS: "2", SHARD_ID: "1", SHARD_KEY: "c1" },
    },
    {
      reason: "arguments are the shard's",
      settings: { extraArgs: "no", ...cluster },
      expected: { INTEGRATION_EXTRA_ARGS: "--cluster-name c1" },
    },
    {
      reason: "those of a CronJob, too",
      settings: { ...hourly, ...cluster },
      expected: { INTEGRATION_EXTRA_ARGS: "--cluster-name c1" },
    },
    {
      reason: "to the letter",
      settings: { shard_specs: [{ extra_args: odd }] },
      expected: { INTEGRATION_EXTRA_ARGS: odd },
    },
    {
      reason: "no arguments, no variable",
      settings: { extraArgs: "no" },
      expected: { INTEGRATION_EXTRA_ARGS: undefined },
    },
    { reason: "nothing is done unless an environment says so", settings: {}, expected: { DRY_RUN: "--dry-run" } },
    {
      reason: "an environment says so",
      settings: {},
      expected: { DRY_RUN: "--no-dry-run" },
      parameters: { DRY_RUN: "--no-dry-run" },
    },
    { reason: "its name is text", settings: { name: "1e3" }, expected: { INTEGRATION_NAME: "1e3" } },
    { reason: "its program", settings: { command: "price-feed" }, expected: { COMMAND_NAME: "price-feed" } },
    { reason: "the image's own program", settings: {}, expected: { COMMAND_NAME: undefined } },
    {
      reason: "how long it sleeps is up to the environment",
      settings: {},
      expected: { SLEEP_DURATION_SECS: "5" },
      parameters: { SLEEP_DURATION_SECS: "5" },
    },
    {
      reason: "or to the integration",
      settings: { sleepDurationSecs: "600" },
      expected: { SLEEP_DURATION_SECS: "600" },
    },
    {
      reason: "and again to the environment",
      settings: { sleepDurationSecs: "600" },
      expected: { SLEEP_DURATION_SECS: "7" },
      parameters: { A_SLEEP_DURATION_SECS: "7" },
    },
    {
      reason: "B-23: a CronJob runs once, and does not sleep",
      settings: { ...hourly, sleepDurationSecs: "600" },
      expected: { RUN_ONCE: "true", SLEEP_DURATION_SECS: undefined },
    },
    { reason: "a Deployment runs again and again", settings: {}, expected: { RUN_ONCE: undefined } },
    {
      reason: "no log file if nothing reads it",
      settings: {},
      expected: { LOG_FILE: undefined, PREFIX_LOG_LEVEL: undefined },
    },
    {
      reason: "a log file for the log shipper",
      settings: { logs: { slack: true } },
      expected: { LOG_FILE: "/l", PREFIX_LOG_LEVEL: undefined },
      parameters: { LOG_FILE: "/l" },
    },
    {
      reason: "levels for Google Chat, which gets errors",
      settings: { logs: { googleChat: true } },
      expected: { PREFIX_LOG_LEVEL: "true" },
    },
    {
      reason: "levels for the channel for errors",
      settings: { logs: { slack: true, slackErrorFilter: true } },
      expected: { PREFIX_LOG_LEVEL: "true" },
    },
    { reason: "state has a bucket, if it is there", settings: { state: true }, expected: state, parameters: account },
    { reason: "that of a job, too", settings: { ...hourly, state: true }, expected: state, parameters: account },
    { reason: "no state, no bucket", settings: { cache: true }, expected: toNothing(Object.keys(state)) },
    { reason: "Unleash, if it is there", settings: {}, expected: unleash },
    {
      reason: "Unleash is switched off",
      settings: { disableUnleash: true },
      expected: toNothing(Object.keys(unleash)),
    },
    {
      reason: "dash.db",
      settings: { ...hourly, dashdotdb: true },
      expected: { DASHDOTDB_SECRET: "dashdotdb/AUTH_VAULT_PATH" },
    },
    { reason: "no dash.db", settings: hourly, expected: { DASHDOTDB_SECRET: undefined } },
    {
      reason: "the push gateway",
      settings: { ...hourly, enablePushgateway: true },
      expected: pushgateway,
      parameters: gate,
    },
    { reason: "no push gateway", settings: hourly, expected: toNothing(Object.keys(pushgateway)) },
    {
      reason: "the environment, for who is aware of it",
      settings: { environmentAware: true },
      expected: toItself(aware),
      parameters: toItself(aware),
    },
    { reason: "and not for others", settings: {}, expected: toNothing(aware) },
    {
      reason: "E-8: the manager has variables of its own, for its dry run and more",
      settings: { name: "integrations-manager" },
      expected: toItself(manager),
      parameters: toItself(manager),
    },
    {
      reason: "other integrations do not get the variables of the manager",
      settings: {},
      expected: toNothing(manager),
    },
    {
      reason: "one from a Secret is called like its key",
      settings: { extraEnv: [{ secretName: "fuel", secretKey: "KEY" }] },
      expected: { KEY: "fuel/KEY" },
    },
    {
      reason: "one of the integration wins over the chart's",
      settings: { extraEnv: [{ name: "DRY_RUN", value: "no" }] },
      expected: { DRY_RUN: "no" },
    },
    {
      reason: "one from a Secret wins, too",
      settings: { extraEnv: [{ secretName: "own", secretKey: "UNLEASH_API_URL" }] },
      expected: { UNLEASH_API_URL: "own/UNLEASH_API_URL" },
    },
    {
      reason: "a parameter is filled in",
      settings: { extraEnv: [{ name: "X", value: "on ${IMAGE}" }] },
      expected: { X: "on i" },
      parameters: { IMAGE: "i" },
    },
    {
      reason: "a reference that is not a parameter stays as it is",
      settings: { extraEnv: [{ name: "X", value: "${HOME} $(Y)" }] },
      expected: { X: "${HOME} $(Y)" },
    },
  ])("$reason", ({ settings, expected, parameters }) => {
    const object = renderOne(settings, parameters);
    const names = Object.keys(expected);
    expect(Object.fromEntries(names.map((name) => [name, told(object, name)]))).toEqual(expected);
  });

  test.each([
    "true",
    "123",
    "a: b",
    "x # y",
    '"q"',
    "",
    "yes",
    "null",
    " a\tb\n'c'\\ ",
    "- é☃\u{1F600}\u2028\u007F%",
    "{{ .x }}",
    "@",
    "*a",
  ])("B-30, G3-14: the value of a variable is passed on byte for byte: %j", (value) => {
    expect(told(renderOne({ extraEnv: [{ name: "X", value }] }), "X")).toBe(value);
  });

  test("no variable is there twice, whatever is switched on", () => {
    const all = ["state", "cache", "environmentAware", "dashdotdb", "enablePushgateway"].map((key) => [key, true]);
    const settings = { ...Object.fromEntries(all), logs: { slack: true, googleChat: true, slackErrorFilter: true } };
    const extraEnv = ["DRY_RUN", "LOG_FILE", "IMAGE", "MANAGER_DRY_RUN"].map((name) => ({ name, value: "own" }));
    const object = renderOne({ ...settings, name: "integrations-manager", extraEnv });
    const names = objectsIn(look(object, "container:int env")).map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    expect(names).toEqual(expect.arrayContaining(["DRY_RUN", "IMAGE_TAG", "INTEGRATIONS_MANAGER_IMAGE"]));
  });
});

function told(object: JsonObject, name: string): JsonValue | undefined {
  const key = look(object, `env:${name} valueFrom.secretKeyRef`);
  if (key === undefined) return look(object, `env:${name} value`);
  const { name: secret, key: field, optional } = SecretKey.parse(key);
  return `${secret}/${field}${optional ? "?" : ""}`;
}
