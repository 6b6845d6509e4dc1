import { describe, expect, test } from "vitest";
import type { JsonObject } from "#base";
import { found, type SettingRow } from "./setting-row.ts";

const hourly = { cron: "@hourly" };

function override(overrides: JsonObject): JsonObject {
  return { shard_specs: [{ shard_spec_overrides: overrides }] };
}

describe("the image", () => {
  const path = "container:int image";
  const parameters = { IMAGE: "i", IMAGE_TAG: "t" };
  test.each<SettingRow>([
    { reason: "G3-08: the image has no @ without a digest", settings: {}, path, expected: "i:t", parameters },
    {
      reason: "B-36: the image has its tag and digest when the manager gives a digest",
      settings: {},
      path,
      expected: "i:t@sha256:1",
      parameters: { ...parameters, IMAGE_AT_DIGEST: "@sha256:1" },
    },
    {
      reason: "imageRef is the tag, and no digest stays",
      settings: { imageRef: "v2" },
      path,
      expected: "i:v2",
      parameters: { ...parameters, IMAGE_AT_DIGEST: "@sha256:1" },
    },
    {
      reason: "the imageRef of a shard wins",
      settings: { imageRef: "v2", ...override({ imageRef: "v3" }) },
      path,
      expected: "i:v3",
      parameters,
    },
    {
      reason: "a CronJob has its imageRef, too",
      settings: { ...hourly, imageRef: "v2" },
      path,
      expected: "i:v2",
      parameters,
    },
    {
      reason: "and that of its shard",
      settings: { ...hourly, imageRef: "v2", ...override({ imageRef: "v3" }) },
      path,
      expected: "i:v3",
      parameters,
    },
    {
      reason: "an imageRef that looks like a number is text",
      settings: { imageRef: "1e3" },
      path,
      expected: "i:1e3",
      parameters,
    },
    {
      reason: "entrypoint replaces that of the image",
      settings: { entrypoint: ["node", "a.ts"] },
      path: "container:int command",
      expected: ["node", "a.ts"],
    },
    {
      reason: "args are those of the container",
      settings: { args: ["--shard", "$(SHARD_ID)", "1"] },
      path: "container:int args",
      expected: ["--shard", "$(SHARD_ID)", "1"],
    },
    { reason: "without args the image has its own", settings: {}, path: "container:int args", expected: undefined },
    {
      reason: "pull secrets are those of the pod",
      settings: { imagePullSecrets: [{ name: "pull" }] },
      path: "pod spec.imagePullSecrets",
      expected: [{ name: "pull" }],
    },
  ])("$reason", (row) => expect(found(row)).toEqual(row.expected));
});

describe("resources", () => {
  const path = "container:int resources";
  const resources = { requests: { cpu: "1", memory: "1Gi" }, limits: { memory: "2Gi" } };
  test.each<SettingRow>([
    {
      reason: "B-17: the resources of a container are those of the settings",
      settings: { resources },
      path,
      expected: resources,
    },
    {
      reason: "G3-11: a parameter of the environment changes a single resource quantity",
      settings: { resources },
      path: `${path}.requests.cpu`,
      expected: "77m",
      parameters: { A_CPU_REQUEST: "77m" },
    },
    {
      reason: "B-17: a parameter of the environment changes a single resource limit",
      settings: { resources },
      path: `${path}.limits.memory`,
      expected: "3Gi",
      parameters: { A_MEMORY_LIMIT: "3Gi" },
    },
    {
      reason: "a dash in the name is _ in the parameter",
      settings: { name: "a-b", resources },
      path: `${path}.requests.memory`,
      expected: "9Mi",
      parameters: { A_B_MEMORY_REQUEST: "9Mi" },
    },
    {
      reason: "G3-15: resource quantities are strings, however they were written",
      settings: { resources: { requests: { cpu: 0.5 }, limits: { cpu: 1 } } },
      path,
      expected: { requests: { cpu: "0.5" }, limits: { cpu: "1" } },
    },
    {
      reason: "B-17: the resources of a shard replace all others",
      settings: { resources, ...override({ resources: { requests: { cpu: 2 } } }) },
      path,
      expected: { requests: { cpu: "2" } },
    },
    {
      reason: "no parameter reaches those of a shard",
      settings: { resources, ...override({ resources: { requests: { cpu: "2" } } }) },
      path,
      expected: { requests: { cpu: "2" } },
      parameters: { A_CPU_REQUEST: "77m" },
    },
    {
      reason: "a CronJob has them as well",
      settings: { ...hourly, resources },
      path: `${path}.requests.cpu`,
      expected: "77m",
      parameters: { A_CPU_REQUEST: "77m" },
    },
    { reason: "without any there are none", settings: {}, path, expected: undefined },
    {
      reason: "an empty block is none",
      settings: { resources: { requests: {}, limits: { memory: "1Gi" } } },
      path,
      expected: { limits: { memory: "1Gi" } },
    },
  ])("$reason", (row) => expect(found(row)).toEqual(row.expected));
});

describe("probes", () => {
  const metrics = { path: "/metrics", port: "http" };
  const exec = { command: ["true"] };
  test.each<SettingRow>([
    {
      reason: "five minutes of silence restart it",
      settings: {},
      path: "container:int livenessProbe",
      expected: { httpGet: metrics, periodSeconds: 30, timeoutSeconds: 10, failureThreshold: 10 },
    },
    {
      reason: "it is ready when it serves metrics",
      settings: {},
      path: "container:int readinessProbe",
      expected: { httpGet: metrics, periodSeconds: 10, timeoutSeconds: 5 },
    },
    {
      reason: "one can be switched off",
      settings: { livenessProbe: false },
      path: "container:int livenessProbe",
      expected: undefined,
    },
    {
      reason: "and the other stays",
      settings: { livenessProbe: false },
      path: "container:int readinessProbe.httpGet",
      expected: metrics,
    },
    {
      reason: "true is the default",
      settings: { readinessProbe: true },
      path: "container:int readinessProbe.periodSeconds",
      expected: 10,
    },
    {
      reason: "settings replace the default's",
      settings: { livenessProbe: { periodSeconds: 5 } },
      path: "container:int livenessProbe",
      expected: { httpGet: metrics, periodSeconds: 5 },
    },
    {
      reason: "something else can be asked",
      settings: { readinessProbe: { exec } },
      path: "container:int readinessProbe",
      expected: { exec },
    },
  ])("$reason", (row) => expect(found(row)).toEqual(row.expected));
});
