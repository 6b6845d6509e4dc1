import { expect, test } from "vitest";
import { ManagedObject } from "./object/managed-object.ts";
import { ResourceInventory } from "./resource-inventory.ts";

function resource(name: string, errorDetails?: string): ManagedObject {
  const body = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name } };
  return new ManagedObject({ body, integration: "i", integrationVersion: "0.1.0", errorDetails });
}

function wanted(name: string, errorDetails?: string) {
  return { cluster: "c", namespace: "n", kind: "Deployment", name, value: resource(name, errorDetails) };
}

function inventory(managedNames?: string[]): ResourceInventory {
  const made = new ResourceInventory();
  made.initialize("c", "n", "Deployment", managedNames);
  return made;
}

test("G7-19: an object that is desired twice is refused, and both origins are named", () => {
  const twice = inventory();
  twice.addDesired(wanted("a", "one.yml:1"));
  expect(() => twice.addDesired(wanted("a", "two.yml:7"))).toThrow(
    expect.objectContaining({ what: "is desired twice, first by one.yml:1", where: "two.yml:7: c/n Deployment a" }),
  );
});

test("G7-19: a name that is not managed is refused, and the managed ones are listed", () => {
  expect(() => inventory(["a", "b"]).addDesired(wanted("x"))).toThrow("only these names are managed: a, b");
});

test.each([
  { reason: "kind", change: { kind: "Service" }, next: "managed there are Deployment" },
  { reason: "namespace", change: { namespace: "other" }, next: "managed namespaces are n" },
  { reason: "cluster", change: { cluster: "other" }, next: "managed clusters are c" },
])("G7-19: an object for an unknown target is refused, and the known ones are listed: $reason", ({ change, next }) => {
  expect(() => inventory().addDesired({ ...wanted("a"), ...change })).toThrow(expect.objectContaining({ next }));
});

test("D-17: the entries of an inventory are in the order of insertion", () => {
  const all = new ResourceInventory();
  for (const [cluster, namespace, type] of [
    ["z", "n", "Service"],
    ["a", "m", "Deployment"],
    ["z", "l", "Deployment"],
    ["z", "n", "Deployment"],
  ] as const) {
    all.initialize(cluster, namespace, type);
  }
  expect([...all].map(({ cluster, namespace, type }) => `${cluster}/${namespace}/${type}`)).toEqual([
    "z/n/Service",
    "z/n/Deployment",
    "z/l/Deployment",
    "a/m/Deployment",
  ]);
});

test("D-18: declaring a managed kind again changes nothing", () => {
  const once = inventory(["a"]);
  once.addDesired(wanted("a"));
  once.initialize("c", "n", "Deployment", ["b"]);
  expect([...once]).toMatchObject([{ managedNames: new Set(["a"]), desired: new Map([["a", expect.anything()]]) }]);
});

test("D-19: an object is stored under its full kind if that is managed, or else under the short one", () => {
  const full = new ResourceInventory();
  full.initialize("c", "n", "Deployment.apps");
  full.addDesiredResource("c", "n", resource("a"));
  const short = inventory();
  short.addDesiredResource("c", "n", resource("a"));
  expect([...full, ...short].map(({ type, desired }) => [type, [...desired.keys()]])).toEqual([
    ["Deployment.apps", ["a"]],
    ["Deployment", ["a"]],
  ]);
});

test("D-19, D-21: an unknown cluster is an error of that cluster only", () => {
  const all = inventory();
  all.addDesiredResource("down", "n", resource("a"));
  all.addDesiredResource("c", "n", resource("a"));
  expect(all.hasError("down")).toBe(true);
  expect(all.hasError("c")).toBe(false);
  expect(all.hasError()).toBe(true);
  expect([...all]).toMatchObject([{ cluster: "c", desired: { size: 1 } }]);
});

test("D-20: an error of a cluster also fails the run, but no other cluster; an error without a cluster fails the run only", () => {
  const all = inventory();
  expect([all.hasError(), all.hasError("c")]).toEqual([false, false]);
  all.registerError({ what: "no data" });
  expect([all.hasError(), all.hasError("c")]).toEqual([true, false]);
  all.registerError({ cluster: "c", what: "no token" });
  expect([all.hasError(), all.hasError("c"), all.hasError("other")]).toEqual([true, true, false]);
  expect(all.errors.map(({ what }) => what)).toEqual(["no data", "no token"]);
});

test("D-19: a live object that is added again replaces the earlier one", () => {
  const all = inventory();
  all.addCurrent("c", "n", "Deployment", "a", resource("a", "old"));
  all.addCurrent("c", "n", "Deployment", "a", resource("a", "new"));
  expect([...all][0]?.current.get("a")?.errorDetails).toBe("new");
});
