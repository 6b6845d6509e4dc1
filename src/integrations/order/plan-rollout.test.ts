import { describe, expect, test } from "vitest";
import { type Plan, planChanges, type ResourceInventory } from "#inventory";
import { asReplacement, planning, sampleInventory } from "./sample-order.fixture.ts";
import { parseRollout, planRollout, requireCanary } from "./plan-rollout.ts";

const rollout = { canary: "c1", soakMs: 300_000 };

function rolledOut(inventory: ResourceInventory): Plan {
  return planRollout(planChanges(inventory, planning), rollout, inventory);
}

function waitsOf({ actions }: Plan): Record<string, string[]> {
  return Object.fromEntries(
    actions.map(({ action, cluster, name, waitsFor = [] }) => [
      `${action} ${cluster} ${name}`,
      waitsFor.map((each) => `${each.cluster} ${each.attribution} ${each.soakMs}`),
    ]),
  );
}

describe("a rollout with a canary", () => {
  test("changes the canary at once, and everything else after what changes there was healthy for the time of the soak", () => {
    const wanted = ["c1", "c2"].flatMap((cluster) => [`${cluster}/n a`, `${cluster}/n b`]).concat("c2/n only-there");
    const live = [
      { target: "c1/n a", value: "old" },
      "c1/n b",
      { target: "c2/n a", value: "old" },
      "c2/n b",
      "c2/n gone",
    ];
    expect(waitsOf(rolledOut(sampleInventory({ wanted, live })))).toEqual({
      "update c1 a": [],
      "update c2 a": ["c1 a 300000"],
      "create c2 only-there": ["c1 a 300000"],
      "delete c2 gone": ["c1 a 300000"],
    });
  });

  test("a replacement waits like a change", () => {
    const inventory = sampleInventory({ wanted: ["c1/n a", "c2/n a"], live: [] });
    const planned = planChanges(inventory, planning);
    const replacing = { ...planned, actions: planned.actions.map(asReplacement) };
    expect(waitsOf(planRollout(replacing, rollout, inventory))).toEqual({
      "replace c1 a": [],
      "replace c2 a": ["c1 a 300000"],
    });
  });

  test("a change that the canary has already still waits for its health there: nothing else remembers it", () => {
    const live = ["c1/n a", { target: "c2/n a", value: "old" }];
    const made = rolledOut(sampleInventory({ wanted: ["c1/n a", "c2/n a"], live }));
    expect(waitsOf(made)).toEqual({ "update c2 a": ["c1 a 300000"] });
  });

  test("what does not run on the canary waits for nothing when nothing changes there", () => {
    const made = rolledOut(sampleInventory({ wanted: ["c1/n a", "c2/n b"], live: ["c1/n a"] }));
    expect(waitsOf(made)).toEqual({ "create c2 b": [] });
  });

  test("a deletion elsewhere waits for nothing on the canary when nothing changes", () => {
    const made = rolledOut(sampleInventory({ wanted: ["c1/n a", "c2/n b"], live: ["c1/n a", "c2/n b", "c2/n a"] }));
    expect(waitsOf(made)).toEqual({ "delete c2 a": [] });
  });

  test("nothing else is touched while the canary cannot be read", () => {
    const inventory = sampleInventory({ wanted: ["c1/n a", "c2/n a", "c2/n b"], live: [] });
    inventory.registerError({ cluster: "c1", what: "cluster c1 cannot be used: no such host" });
    const { actions, refusals } = rolledOut(inventory);
    expect(actions).toEqual([]);
    expect(refusals.map(({ cluster, reason }) => `${cluster}: ${reason}`)).toEqual([
      "c2: the canary cluster c1 does not have it yet: cluster c1 cannot be used: no such host",
      "c2: the canary cluster c1 does not have it yet: cluster c1 cannot be used: no such host",
    ]);
  });

  test("an integration that the canary cannot get is changed nowhere, and the others are", () => {
    const live = [{ target: "c1/n a", owner: "other" }];
    const { actions, refusals } = rolledOut(sampleInventory({ wanted: ["c1/n a", "c2/n a", "c2/n b"], live }));
    expect(actions.map(({ cluster, name }) => `${cluster} ${name}`)).toEqual(["c2 b"]);
    expect(refusals).toMatchObject([{ cluster: "c1" }, { cluster: "c2", reason: expect.stringContaining("other") }]);
  });
});

describe("--rollout", () => {
  test("names the canary, and how long it must be healthy", () => {
    expect(parseRollout("canary=prod-eu,soak=5m")).toEqual({ canary: "prod-eu", soakMs: 300_000 });
    expect(parseRollout("canary=prod-eu")).toEqual({ canary: "prod-eu", soakMs: 0 });
  });

  test.each(["", "prod-eu", "canary=", "soak=5m", "canary=a,soak=soon", "canary=a,canary=b", "canary=a,wait=5m"])(
    "refuses %j",
    (text) => {
      expect(() => parseRollout(text)).toThrow("--rollout: expected canary=NAME,soak=5m");
    },
  );

  test("refuses a canary that no integration runs on, with a proposal", () => {
    const clusters = new Set(["prod-eu", "prod-us"]);
    expect(() => requireCanary({ canary: "prod-eo", soakMs: 0 }, clusters)).toThrow("did you mean prod-eu?");
  });
});
