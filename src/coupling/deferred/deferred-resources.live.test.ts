import { expect, test } from "vitest";
import { valueAt } from "#base";
import { configMapTemplate, useCoupling } from "#harness";
import type { KubeObject } from "#kube";
import { apiVersion } from "../kinds/index.ts";
import { conditionOf } from "../lifecycle/unparsed-objects.ts";

const world = useCoupling();

function deferred(name: string, spec: object | undefined): KubeObject {
  return { apiVersion, kind: "DeferredResource", metadata: { name, namespace: world.app }, ...(spec ? { spec } : {}) };
}
const refOf = (name: string) => world.ref("DeferredResource", name, world.app);
const until = (name: string, reason: string) =>
  world.waitFor(refOf(name), (found) => conditionOf(found, "Resolved")?.["reason"] === reason);
const secret = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: world.app },
});

test("a DeferredResource creates its object as soon as the objects that it waits for exist", async () => {
  const [one, other] = [
    { apiVersion: "v1", kind: "Secret", name: "awaited" },
    { group: "batch", version: "v1", kind: "Job", name: "awaited" },
  ];
  const elsewhere = { ...configMapTemplate("made"), metadata: { name: "made", namespace: "elsewhere" } };
  await world.apply(deferred("waits", { waitFor: [one, other], resource: elsewhere }));
  const pending = await until("waits", "Pending");
  expect(conditionOf(pending, "Resolved")).toMatchObject({ status: "False", message: "waiting for resource" });
  expect(conditionOf(pending, "Ready")?.["message"]).toBe(
    `waiting for Secret ${world.app}/awaited, Job ${world.app}/awaited`,
  );
  await world.apply(secret("awaited"));
  await world.waitFor(refOf("waits"), (found) =>
    String(conditionOf(found, "Ready")?.["message"]).endsWith(`for Job ${world.app}/awaited`),
  );
  const container = { name: "a", image: "a" };
  const template = { spec: { restartPolicy: "Never", containers: [container] } };
  const metadata = { name: "awaited", namespace: world.app };
  await world.apply({ apiVersion: "batch/v1", kind: "Job", metadata, spec: { suspend: true, template } });
  const resolved = await until("waits", "Success");
  expect(conditionOf(resolved, "Resolved")).toMatchObject({ status: "True", message: "success" });
  const made = await world.client.get(world.ref("ConfigMap", "made", world.app));
  expect(valueAt(resolved, ["status", "ownerReferences"])).toEqual({
    apiVersion: "v1",
    kind: "ConfigMap",
    name: "made",
    uid: made.metadata.uid,
  });
  expect(made.metadata.managedFields?.[0]?.manager).toBe("integration-operator");
  expect(await world.events("DeferredResource", "waits")).toEqual(["DeferredResourceResolved"]);
});

test("a DeferredResource never changes its object again, and leaves it when it is deleted", async () => {
  await world.apply(deferred("once", { resource: configMapTemplate("once", { a: "1" }) }));
  await until("once", "Success");
  await world.apply(deferred("once", { resource: configMapTemplate("once", { a: "2" }) }));
  await world.restart();
  await world.settle();
  expect(await world.dataOf("once", world.app)).toEqual({ a: "1" });
  await world.client.delete(refOf("once"));
  await world.waitUntilDeleted(refOf("once"));
  await world.settle();
  expect(await world.dataOf("once", world.app)).toEqual({ a: "1" });
});

test("a DeferredResource does not change an object that already exists", async () => {
  await world.apply({
    ...configMapTemplate("there", { a: "theirs" }),
    metadata: { name: "there", namespace: world.app },
  });
  await world.apply(deferred("there", { resource: configMapTemplate("there", { a: "ours" }) }));
  await until("there", "Success");
  expect(await world.dataOf("there", world.app)).toEqual({ a: "theirs" });
});

test("before its timeout, a DeferredResource creates nothing and costs one status write", async () => {
  world.calls.length = 0;
  await world.apply(deferred("later", { timeout: 10_000, resource: configMapTemplate("later") }));
  const pending = await until("later", "Pending");
  expect(conditionOf(pending, "Resolved")?.["message"]).toBe("waiting for timeout");
  await world.restart();
  await world.settle();
  expect(world.calls.filter((call) => call.includes("later"))).toHaveLength(1);
  expect(await world.client.find(world.ref("ConfigMap", "later", world.app))).toBeUndefined();
});

test("a DeferredResource acts as its service account, and says which rights are missing", async () => {
  const spec = { serviceAccountName: "powerless", resource: configMapTemplate("forbidden") };
  await world.apply(deferred("forbidden", spec));
  const failed = await until("forbidden", "Error");
  expect(conditionOf(failed, "Failed")?.["message"]).toContain(`system:serviceaccount:${world.app}:powerless`);
  expect(conditionOf(failed, "Stalled")?.["status"]).toBe("True");
  expect(await world.client.find(world.ref("ConfigMap", "forbidden", world.app))).toBeUndefined();
  const group = "rbac.authorization.k8s.io";
  await world.client.create({
    apiVersion: `${group}/v1`,
    kind: "RoleBinding",
    metadata: { name: "powerless", namespace: world.app },
    roleRef: { apiGroup: group, kind: "Role", name: "everything" },
    subjects: [{ kind: "ServiceAccount", name: "powerless", namespace: world.app }],
  });
  const resolved = await until("forbidden", "Success");
  expect(conditionOf(resolved, "Failed")).toBeUndefined();
});

test("integration-operator's sample, a DeferredResource without a spec, is an error of its own", async () => {
  await world.apply(deferred("empty", undefined));
  const failed = await until("empty", "Error");
  expect(conditionOf(failed, "Failed")?.["message"]).toBe(
    `DeferredResource ${world.app}/empty spec.resource: there is no object to create; set apiVersion, kind and metadata.name`,
  );
  await world.settle();
  await world.apply(deferred("empty", { resource: configMapTemplate("empty") }));
  await until("empty", "Success");
});

test("a DeferredResource that integration-operator resolved is taken over without a write", async () => {
  await world.stop();
  await world.apply(deferred("taken", { resource: configMapTemplate("taken") }));
  const condition = {
    type: "Resolved",
    status: "True",
    reason: "Success",
    message: "success",
    lastTransitionTime: "2026-01-01T00:00:00Z",
    observedGeneration: 1,
  };
  const body = { status: { conditions: [condition] } };
  await world.client.patch(refOf("taken"), { type: "merge", subresource: "status", body });
  world.calls.length = 0;
  await world.restart();
  await world.settle();
  expect(world.calls.filter((call) => call.includes("/deferredresources/taken"))).toEqual([]);
  expect(await world.client.find(world.ref("ConfigMap", "taken", world.app))).toBeUndefined();
});
