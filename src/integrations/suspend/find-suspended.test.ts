import { describe, expect, test } from "vitest";
import { liveAttribution, ManagedObject, ResourceInventory } from "#inventory";
import type { DataSuspension } from "../desired/desired.ts";
import { sampleResource } from "../desired/sample-desired.fixture.ts";
import { managerIdentity } from "../manager-defaults.ts";
import { findSuspended } from "./find-suspended.ts";

interface Live {
  readonly namespace?: string;
  readonly name: string;
  readonly integration?: string;
  readonly suspend?: string;
}

function suspendedBy(suspensions: readonly DataSuspension[], live: readonly Live[], desired: readonly string[] = []) {
  const inventory = new ResourceInventory();
  for (const namespace of ["n1", "n2"]) inventory.initialize("c1", namespace, "Deployment");
  for (const { namespace = "n1", name, integration = name, suspend } of live) {
    const annotations = {
      "tenon.dev/integration": integration,
      ...(suspend === undefined ? {} : { "tenon.dev/suspend": suspend }),
    };
    const body = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name, annotations } };
    const object = new ManagedObject({ ...managerIdentity, body, skipValidation: true });
    inventory.addCurrent("c1", namespace, "Deployment", name, object);
  }
  for (const name of desired) {
    inventory.addDesired({ cluster: "c1", namespace: "n1", kind: "Deployment", name, value: sampleResource(name) });
  }
  return findSuspended({ suspensions }, inventory, liveAttribution(new Set()));
}

const inData = { integration: "a", reason: "frozen", where: "data/a.yml" };

describe("an integration that its data file suspends", () => {
  test("is suspended wherever it has or wants objects, also where the data no longer names it", () => {
    const { integrations, holdBack } = suspendedBy(
      [inData],
      [{ name: "a" }, { name: "a", namespace: "n2" }, { name: "b" }],
    );
    expect(integrations.map(({ namespace, reason, by, where }) => [namespace, reason, by, where])).toEqual([
      ["n1", "frozen", "data", "data/a.yml"],
      ["n2", "frozen", "data", "data/a.yml"],
    ]);
    const held = { reason: "suspended: frozen", next: "to resume, remove suspend from data/a.yml" };
    expect(holdBack({ cluster: "c1", namespace: "n2", attribution: "a" })).toEqual(held);
    expect(holdBack({ cluster: "c1", namespace: "n1", attribution: "b" })).toBeUndefined();
  });

  test("is suspended only in the namespace of the entry that says so", () => {
    const target = { cluster: "c1", namespace: "n2" };
    const live = [{ name: "a" }, { name: "a", namespace: "n2" }];
    expect(suspendedBy([{ ...inData, target }], live).integrations).toMatchObject([{ namespace: "n2" }]);
  });

  test("is suspended before its first object exists", () => {
    expect(suspendedBy([inData], [], ["a"]).integrations).toMatchObject([{ integration: "a", namespace: "n1" }]);
  });
});

describe("the annotation tenon.dev/suspend", () => {
  test("on one object suspends all of its integration in that namespace, and says how to resume", () => {
    const live = [
      { name: "a-0", integration: "a", suspend: "incident 42" },
      { name: "a-1", integration: "a" },
      { name: "a-0", integration: "a", namespace: "n2" },
    ];
    const { integrations, holdBack } = suspendedBy([], live);
    expect(integrations).toEqual([
      {
        integration: "a",
        cluster: "c1",
        namespace: "n1",
        reason: "incident 42",
        by: "annotation",
        where: "Deployment a-0",
      },
    ]);
    expect(holdBack({ cluster: "c1", namespace: "n1", attribution: "a" })?.next).toBe(
      "to resume: tenon resume a --cluster c1 --namespace n1, or remove the annotation tenon.dev/suspend of Deployment a-0",
    );
    expect(holdBack({ cluster: "c1", namespace: "n2", attribution: "a" })).toBeUndefined();
  });

  test.each([
    { value: "true", reason: "no reason given" },
    { value: "", reason: "no reason given" },
    { value: "false", reason: undefined },
  ])("with the value '$value' gives the reason $reason", ({ value, reason }) => {
    expect(suspendedBy([], [{ name: "a", suspend: value }]).integrations[0]?.reason).toBe(reason);
  });
});

test("what integrations share is held back only where all of them are suspended", () => {
  const shared = { cluster: "c1", namespace: "n1", attribution: undefined };
  expect(suspendedBy([inData], [{ name: "a" }, { name: "b" }]).holdBack(shared)).toBeUndefined();
  expect(suspendedBy([inData], [{ name: "a" }]).holdBack(shared)).toMatchObject({ reason: "suspended: frozen" });
  expect(suspendedBy([inData], []).holdBack(shared)).toBeUndefined();
});
