import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { type JsonObject, valueAt } from "#base";
import { clusterHome, inspectBinary } from "#cluster";
import { testKubeconfig, useManaged } from "#harness";
import type { KubeObject } from "#kube";
import { ManagedObject } from "../object/managed-object.ts";
import { annotation } from "../object/attribution.ts";

const world = useManaged(["ConfigMap", "Deployment"]);
const { client, namespace } = world;
const { kubectl } = await inspectBinary(clusterHome());

function apply(object: object, ...flags: string[]): void {
  const { status, stderr } = spawnSync(
    kubectl,
    ["--kubeconfig", testKubeconfig(), "--namespace", namespace, "apply", ...flags, "--filename", "-"],
    { input: JSON.stringify(object), encoding: "utf8" },
  );
  expect({ status, stderr }).toMatchObject({ status: 0 });
}

function configMap(name: string, data: JsonObject): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
}

function stampedAsBefore(body: JsonObject): object {
  return new ManagedObject({ body, integration: "test", integrationVersion: "0.1.0" }).annotate(new Date(0));
}

async function read(kind: string, name: string): Promise<KubeObject> {
  return await client.get({ apiVersion: kind === "Deployment" ? "apps/v1" : "v1", kind, namespace, name });
}

function managers({ metadata: { managedFields = [] } }: KubeObject): string[] {
  return managedFields
    .filter(({ subresource }) => !subresource)
    .map(({ manager, operation }) => `${manager} ${operation}`);
}

test("an object that its owner applied with kubectl loses the fields that are no longer desired, and kubectl's copy", async () => {
  apply(stampedAsBefore(configMap("owned", { a: "1", b: "1" })));
  expect((await world.plan([configMap("owned", { a: "1", b: "1" })])).actions).toEqual([]);

  await world.run([configMap("owned", { a: "2" })]);
  const live = await read("ConfigMap", "owned");
  expect(live["data"]).toEqual({ a: "2" });
  expect(live.metadata.annotations).not.toHaveProperty([annotation.lastApplied]);
  expect(managers(live)).toEqual(["tenon Apply"]);
});

test("an object that was made by hand is adopted with all its fields, and later loses only those that we gave it", async () => {
  apply(configMap("by-hand", { a: "1", b: "1", extra: "x" }));
  const { outcomes } = await world.run([configMap("by-hand", { a: "1", b: "1" })]);
  expect(outcomes[0]).toMatchObject({ action: "adopt", state: "done", name: "by-hand" });
  const adopted = await read("ConfigMap", "by-hand");
  expect(adopted["data"]).toEqual({ a: "1", b: "1", extra: "x" });
  expect(adopted.metadata.annotations).not.toHaveProperty([annotation.lastApplied]);

  await world.run([configMap("by-hand", { a: "2" })]);
  expect((await read("ConfigMap", "by-hand"))["data"]).toEqual({ a: "2", extra: "x" });
  expect((await world.plan([configMap("by-hand", { a: "2" })])).actions).toEqual([]);
});

test("what kubectl applied on the server is ours after it is adopted", async () => {
  apply(configMap("server-side", { a: "1" }), "--server-side");
  await world.run([configMap("server-side", { a: "1" })]);
  expect(managers(await read("ConfigMap", "server-side"))).toEqual(["tenon Apply"]);
  expect(await world.run([configMap("server-side", { a: "2" })])).toMatchObject({ isSuccess: true });
});

test("a Deployment made by hand is adopted without a new ReplicaSet", async () => {
  const labels = { app: "shop" };
  const wanted = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "shop" },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "example.invalid/app:1" }] } },
    },
  };
  const template = { metadata: { labels, annotations: { note: "by hand" } }, spec: wanted.spec.template.spec };
  apply({ ...wanted, spec: { ...wanted.spec, replicas: 3, template } });
  const before = await read("Deployment", "shop");
  await world.run([wanted]);
  const after = await read("Deployment", "shop");
  expect(after["spec"]).toEqual(before["spec"]);
  expect(valueAt(after, ["spec", "replicas"])).toBe(3);
  expect(after.metadata.annotations?.[annotation.integration]).toBe("test");
});
