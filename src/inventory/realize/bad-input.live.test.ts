import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "#base";
import { never, useManaged } from "#harness";
import { refOf } from "#kube";
import { ClusterClients } from "../current/cluster-clients.ts";
import { fetchCurrentState } from "../current/fetch-current-state.ts";
import { type Realized, realizeData } from "./realize-plan.ts";
import type { ResourceInventory } from "../resource-inventory.ts";
import { ManagedObject } from "../object/managed-object.ts";

const world = useManaged(["ConfigMap", "Secret", "Service", "Widget"]);
const { client, namespace, lines } = world;
const identity = { integration: "test", integrationVersion: "0.1.0" };

function configMap(name: string, data: JsonObject = { a: "1" }, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data };
}

const service: JsonObject = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web" },
  spec: { ports: [{ port: 80 }] },
};

/** What a run makes of it: the kind, the name, and why it failed if it did. */
function told({ outcomes }: Realized): [string, string, string | undefined][] {
  return outcomes.map(({ kind, name, reason }) => [kind, name, reason]);
}

beforeEach(async () => {
  for (const kind of ["ConfigMap", "Secret", "Service"]) {
    const { items } = await client.list({ apiVersion: "v1", kind, namespace });
    for (const item of items) await client.delete(refOf(item));
  }
  lines.length = 0;
});

describe("what the server refuses fails alone, by name, and fails the run", () => {
  test("a quota that is used up", async () => {
    const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { namespace, name: "no-services" } };
    await client.create({ ...quota, spec: { hard: { "count/services": "0" } } });
    const ref = { apiVersion: "v1", kind: "ResourceQuota", namespace, name: "no-services" };
    await expect.poll(async () => (await client.get(ref))["status"]).toHaveProperty("used");
    onTestFinished(() => client.delete(ref));
    const done = await world.run([service, configMap("good")]);
    expect(done.isSuccess).toBe(false);
    expect(told(done)).toEqual([
      ["ConfigMap", "good", undefined],
      ["Service", "web", expect.stringContaining("exceeded quota: no-services")],
    ]);
    expect(done.outcomes[1]?.next).toBe("raise the quota, or request less");
  });

  test("a policy of the cluster", async () => {
    const name = namespace;
    const apiVersion = "admissionregistration.k8s.io/v1";
    const matchConstraints = {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
      resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] }],
    };
    const validations = [
      { expression: "!object.metadata.name.startsWith('bad')", message: "bad names are not allowed" },
    ];
    const policy = { apiVersion, kind: "ValidatingAdmissionPolicy", metadata: { name } };
    const binding = { apiVersion, kind: "ValidatingAdmissionPolicyBinding", metadata: { name } };
    onTestFinished(async () => {
      for (const { kind } of [binding, policy]) await client.delete({ apiVersion, kind, name });
    });
    await client.create({ ...policy, spec: { matchConstraints, validations } });
    await client.create({ ...binding, spec: { policyName: name, validationActions: ["Deny"] } });
    const probe = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name: "bad-probe" } };
    await expect
      .poll(async () => await client.create(probe, { dryRun: true }).then(String, String))
      .toContain("bad names are not allowed");
    const done = await world.run([configMap("bad"), configMap("good")]);
    expect(done.isSuccess).toBe(false);
    expect(told(done)).toEqual([
      ["ConfigMap", "bad", expect.stringContaining("bad names are not allowed")],
      ["ConfigMap", "good", undefined],
    ]);
  });

  test.each([
    { reason: "for its kind", size: 1_100_000, says: "Too long" },
    { reason: "for a request", size: 3_300_000, says: "Request entity too large" },
  ])("an object that is too large $reason", async ({ size, says }) => {
    const done = await world.run([configMap("large", { a: "x".repeat(size) }), configMap("small")]);
    expect(done.isSuccess).toBe(false);
    expect(told(done)).toEqual([
      ["ConfigMap", "large", expect.stringContaining(says)],
      ["ConfigMap", "small", undefined],
    ]);
    expect(lines.join("").length, "short enough to read").toBeLessThan(20_000);
  });

  test("a kind that the cluster does not have", async () => {
    const widget = { apiVersion: "example.dev/v1", kind: "Widget", metadata: { name: "a" } };
    const done = await world.run([widget, configMap("good")]);
    expect(done.isSuccess).toBe(false);
    expect(told(done)).toEqual([
      ["ConfigMap", "good", undefined],
      ["Widget", "a", expect.stringMatching(/Widget.*example\.dev/)],
    ]);
  });
});

/** Wants one object in the namespace of the test, and one in another. */
async function runInBoth(other: string): Promise<Realized> {
  const clusters = ClusterClients.of({ c1: client });
  const namespaces = [other, namespace].map((name) => ({ cluster: "c1", namespace: name }));
  const { inventory } = await fetchCurrentState(
    { ...identity, namespaces, managedKinds: ["ConfigMap"], clusters },
    never,
  );
  for (const place of namespaces) want(inventory, place.namespace, configMap("a"));
  return await realizeData({ ...identity, inventory, clusters }, never);
}

describe("namespaces", () => {
  test("G7-11: a namespace that does not exist fails the objects desired there, and nothing is written", async () => {
    const done = await runInBoth(`${namespace}-absent`);
    expect(done.isSuccess).toBe(false);
    expect(told(done)).toEqual([
      ["ConfigMap", "a", `namespace ${namespace}-absent does not exist`],
      ["ConfigMap", "a", undefined],
    ]);
    expect(done.outcomes[0]?.next).toBe("create it, and run again");
  });

  test("a namespace that is being deleted fails the objects desired there, and says what to wait for", async () => {
    const name = `${namespace}-going`;
    await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    const held = { apiVersion: "v1", kind: "ConfigMap", namespace: name, name: "held" };
    await client.create({
      ...configMap("held"),
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: name, name: "held", finalizers: ["example.dev/hold"] },
    });
    onTestFinished(async () => {
      await client.patch(held, { type: "merge", body: { metadata: { finalizers: null } } });
    });
    await client.delete({ apiVersion: "v1", kind: "Namespace", name });
    const done = await runInBoth(name);
    expect(done.isSuccess).toBe(false);
    expect(told(done)).toEqual([
      ["ConfigMap", "a", expect.stringContaining("being terminated")],
      ["ConfigMap", "a", undefined],
    ]);
    expect(done.outcomes[0]?.next).toContain("wait until the namespace is gone");
  });
});

function want(inventory: ResourceInventory, place: string, body: JsonObject): void {
  inventory.addDesiredResource("c1", place, new ManagedObject({ ...identity, body }));
}

describe("a kind that two groups have", () => {
  const groups = ["one", "two"].map((part) => `${part}.${namespace}.dev`);

  beforeAll(async () => {
    for (const group of groups) {
      const names = { plural: "gadgets", singular: "gadget", kind: "Gadget", listKind: "GadgetList" };
      const schema = { openAPIV3Schema: { type: "object" } };
      await client.create({
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: `gadgets.${group}` },
        spec: { group, names, scope: "Namespaced", versions: [{ name: "v1", served: true, storage: true, schema }] },
      });
    }
    for (const group of groups) await client.discovery.whenServed({ apiVersion: `${group}/v1`, kind: "Gadget" }, never);
  });
  afterAll(async () => {
    for (const group of groups) {
      await client.delete({
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        name: `gadgets.${group}`,
      });
    }
  });

  test("D-26: a kind that two API groups serve is an error that names both, and stops only its namespace", async () => {
    const clusters = ClusterClients.of({ c1: client });
    const namespaces = [
      { cluster: "c1", namespace: "default", managedKinds: ["Gadget"] },
      { cluster: "c1", namespace, managedKinds: ["ConfigMap", `Gadget.${groups[0]}`] },
    ];
    const { inventory } = await fetchCurrentState({ ...identity, namespaces, managedKinds: [], clusters }, never);
    expect(inventory.errors).toMatchObject([
      {
        cluster: "c1",
        namespace: "default",
        what: `Gadget cannot be read: Gadget is ambiguous: it exists in ${groups.join(" and ")}; write ${groups.map((group) => `Gadget.${group}`).join(" or ")}`,
      },
    ]);
    want(inventory, namespace, configMap("good"));
    const { outcomes, isSuccess } = await realizeData({ ...identity, inventory, clusters }, never);
    expect([isSuccess, outcomes.map(({ state }) => state)]).toEqual([false, ["done"]]);
  });
});
