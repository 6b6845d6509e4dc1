import { expect, test } from "vitest";
import { z } from "zod";
import type { JsonObject } from "#base";
import {
  clusterShard,
  look,
  objectOf,
  objectsIn,
  podOf,
  renderObjects,
  renderTemplate,
  valuesOf,
} from "./render-integrations.ts";

function staticShards(count: number): JsonObject[] {
  return Array.from({ length: count }, (_, index) => ({
    shards: `${count}`,
    shard_id: `${index}`,
    shard_name_suffix: count > 1 ? `-${index}` : "",
  }));
}

function namesOf(objects: readonly JsonObject[]): string[] {
  return objects.map(({ kind, metadata }) =>
    z
      .array(z.string())
      .parse([kind, objectOf(metadata)["name"]])
      .join(" "),
  );
}

test("B-7: workloads are rendered in the order of the values, then CronJobs, then the Service", () => {
  const values = valuesOf(
    { name: "z", shard_specs: staticShards(2) },
    { name: "a", state: true },
    { name: "c", cron: "@daily" },
  );
  expect(namesOf(renderObjects(values))).toEqual([
    "Deployment z-0",
    "Deployment z-1",
    "StatefulSet a",
    "CronJob c",
    "Service integrations",
  ]);
});

test("G4-15: an integration with a schedule and three shards has three CronJobs, each with its own number", () => {
  const objects = renderObjects(valuesOf({ cron: "@hourly", shard_specs: staticShards(3) })).slice(0, -1);
  expect(namesOf(objects)).toEqual(["CronJob a-0", "CronJob a-1", "CronJob a-2"]);
  expect(objects.map((object) => look(object, "env:SHARD_ID value"))).toEqual(["0", "1", "2"]);
  expect(objects.map((object) => look(object, "env:SHARDS value"))).toEqual(["3", "3", "3"]);
});

test("B-12: no two shards share a selector, and each selects its own pods only", () => {
  const shards = [...staticShards(1), ...staticShards(3), clusterShard("c1"), clusterShard("1.0")];
  const objects = renderObjects(valuesOf({ shard_specs: shards }, { name: "b", state: true })).slice(0, -1);
  const selectors = objects.map((object) => look(object, "spec.selector.matchLabels"));
  expect(new Set(selectors.map((selector) => JSON.stringify(selector))).size).toBe(objects.length);
  for (const [index, object] of objects.entries())
    expect(podOf(object)["metadata"]).toMatchObject({ labels: selectors[index] });
  expect(selectors).toContainEqual({ app: "a", "tenon.dev/shard": "0" });
  expect(selectors).toContainEqual({ app: "a", "tenon.dev/shard": "1.0" });
});

test("C-12: a disabled shard has zero replicas, the others have one", () => {
  const shards = [clusterShard("c1", { disabled: true }), clusterShard("c2", { disabled: false }), clusterShard("c3")];
  for (const settings of [{}, { state: true }]) {
    const objects = renderObjects(valuesOf({ ...settings, shard_specs: shards })).slice(0, -1);
    expect(objects.map((object) => look(object, "spec.replicas"))).toEqual([0, 1, 1]);
  }
});

test("an override may say what the data says of its shard", () => {
  const overrides = {
    shard: { name: "c1", disable: { integrations: [] } },
    subSharding: { strategy: "static", shards: 2 },
  };
  expect(namesOf(renderObjects(valuesOf({ shard_specs: [clusterShard("c1", overrides)] })))).toContain(
    "Deployment a-c1",
  );
});

test("B-25: one Service selects the metrics of everything that runs all the time", () => {
  const objects = renderObjects(valuesOf({}, { name: "b", state: true }, { name: "c", cron: "@daily" }));
  const services = objects.filter(({ kind }) => kind === "Service");
  expect(services).toEqual([
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "integrations", labels: { component: "integration" } },
      spec: {
        selector: { component: "integration" },
        ports: [{ name: "http", port: 80, protocol: "TCP", targetPort: "http" }],
      },
    },
  ]);
  const found = objects
    .slice(0, -1)
    .filter((object) => look(object, "pod metadata.labels.component") === "integration");
  expect(namesOf(found)).toEqual(["Deployment a", "StatefulSet b"]);
});

test("B-25: the Service exists even if there are only CronJobs", () => {
  expect(namesOf(renderObjects(valuesOf({ name: "c", cron: "@daily" })))).toEqual([
    "CronJob c",
    "Service integrations",
  ]);
});

test("an integration that has no shards has no objects", () => {
  expect(namesOf(renderObjects(valuesOf({ shard_specs: [] })))).toEqual(["Service integrations"]);
});

test("B-26: everything that the objects refer to is a parameter, declared once, and every parameter is used", () => {
  const all = { state: true, cache: true, internalCertificates: true, environmentAware: true, enablePushgateway: true };
  const logs = { slack: true, slackErrorFilter: true, googleChat: true, cloudwatch: true };
  const resources = { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "1", memory: "1Gi" } };
  const settings = { ...all, logs, resources, fluentdResources: resources, sleepDurationSecs: "5" };
  const template = renderTemplate(
    valuesOf({ ...settings, name: "integrations-manager" }, { name: "b", logs, trigger: true }),
  );
  const declared = objectsIn(template["parameters"]).map(({ name }) => name);
  expect(declared).toEqual([...new Set(declared)]);
  const text = JSON.stringify(template["objects"]);
  const referred = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name);
  expect(new Set(declared)).toEqual(new Set(referred));
});

test("B-29: the value of every parameter is a string", () => {
  const resources = { requests: { cpu: 1, memory: 1e6 }, limits: { cpu: 0.5 } };
  const { parameters } = renderTemplate(valuesOf({ resources, sleepDurationSecs: "010" }));
  const values = objectsIn(parameters).map(({ name, value }) => [name, value] as const);
  expect(values.filter(([, value]) => typeof value !== "string")).toEqual([]);
  expect(Object.fromEntries(values)).toMatchObject({
    A_CPU_LIMIT: "0.5",
    A_CPU_REQUEST: "1",
    A_SLEEP_DURATION_SECS: "010",
  });
});

test("B-26: integrations run as dry runs unless an environment says otherwise", () => {
  const { parameters } = renderTemplate(valuesOf({}));
  expect(parameters).toContainEqual(expect.objectContaining({ name: "DRY_RUN", value: "--dry-run" }));
  expect(parameters).toContainEqual(expect.objectContaining({ name: "MANAGER_DRY_RUN", value: "--dry-run" }));
});
