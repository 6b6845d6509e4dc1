import { describe, expect, test } from "vitest";
import { planChanges } from "#inventory";
import { sampleDesired, sampleGroup, sampleNamespace, sampleResource } from "../desired/sample-desired.fixture.ts";
import { asReplacement, planning, sampleInventory } from "./sample-order.fixture.ts";
import { planWaves } from "./plan-waves.ts";

const groups = ["c1/n1@stage", "c1/n2@prod", "c2/n3@stage"].map((target) =>
  sampleGroup(sampleNamespace(target), [sampleResource("a"), sampleResource("b")]),
);
const desired = sampleDesired(groups, { after: new Map([["b", ["a"]]]) });
const wanted = ["n1", "n2"]
  .flatMap((namespace) => [`c1/${namespace} a`, `c1/${namespace} b`])
  .concat("c2/n3 a", "c2/n3 b");

describe("an integration that comes after another one", () => {
  test("waits for it on the same cluster and in the same environment, and that one does not wait", () => {
    const { actions } = planWaves(planChanges(sampleInventory({ wanted, live: [] }), planning), desired);
    const waits = actions.map(({ cluster, namespace, name, waitsFor = [] }) => [
      `${cluster}/${namespace} ${name}`,
      waitsFor.map((each) => `${each.cluster}/${each.namespace} ${each.attribution}`),
    ]);
    expect(Object.fromEntries(waits)).toEqual({
      "c1/n1 a": [],
      "c1/n1 b": ["c1/n1 a"],
      "c1/n2 a": [],
      "c1/n2 b": ["c1/n2 a"],
      "c2/n3 a": [],
      "c2/n3 b": ["c2/n3 a"],
    });
  });

  test("is deleted without waiting", () => {
    const inventory = sampleInventory({ wanted: ["c1/n1 a"], live: ["c1/n1 a", "c1/n1 b"] });
    const { actions } = planWaves(planChanges(inventory, planning), desired);
    expect(actions).toMatchObject([{ action: "delete", name: "b" }]);
    expect(actions[0]?.waitsFor).toBeUndefined();
  });

  test("waits with a replacement, too", () => {
    const planned = planChanges(sampleInventory({ wanted: ["c1/n1 a", "c1/n1 b"], live: [] }), planning);
    const replacing = { ...planned, actions: planned.actions.map(asReplacement) };
    const { actions } = planWaves(replacing, desired);
    expect(actions).toMatchObject([{ name: "a" }, { name: "b", waitsFor: [{ namespace: "n1", attribution: "a" }] }]);
  });

  test("is held back while a change of that one is refused on the same cluster and in the same environment", () => {
    const live = [{ target: "c1/n1 a", owner: "other" }];
    const planned = planChanges(sampleInventory({ wanted, live }), planning);
    const { actions, refusals } = planWaves(planned, desired);
    expect(actions.filter(({ name }) => name === "b").map(({ namespace }) => namespace)).toEqual(["n2", "n3"]);
    expect(refusals).toMatchObject([
      { name: "a", reason: "belongs to other", isError: true },
      {
        name: "b",
        reason: "b comes after a, which is not as desired: Deployment a: belongs to other",
        next: "remove it from other, or take it over from there",
        isError: false,
      },
    ]);
  });

  test("is held back, in whatever order the plan has them, when what it comes after is held back for another one", () => {
    const resources = ["a", "b", "c"].map((name) => sampleResource(name));
    const chain = [sampleGroup(sampleNamespace("c1/n1@stage"), resources)];
    const after = new Map([
      ["a", ["b"]],
      ["b", ["c"]],
    ]);
    const about = { cluster: "c1", namespace: "n1", attribution: "c" };
    const inventory = sampleInventory({ wanted: ["c1/n1 a", "c1/n1 b"], live: [] });
    inventory.registerError({ stage: "desired", ...about, what: "the chart refuses c" });
    const { actions, refusals } = planWaves(planChanges(inventory, planning), { groups: chain, after });
    expect(actions).toEqual([]);
    expect(refusals.map(({ reason }) => reason).toSorted()).toEqual([
      "a comes after b, which is not as desired: b comes after c, which has an error: the chart refuses c",
      "b comes after c, which has an error: the chart refuses c",
    ]);
  });

  test("is not held back by an error of another environment on the same cluster", () => {
    const inventory = sampleInventory({ wanted: ["c1/n1 b", "c1/n2 b"], live: [] });
    const about = { cluster: "c1", namespace: "n1", attribution: "a" };
    inventory.registerError({ stage: "desired", ...about, what: "the chart refuses a" });
    const { actions } = planWaves(planChanges(inventory, planning), desired);
    expect(actions).toMatchObject([{ namespace: "n2", name: "b" }]);
  });

  test("is held back while that one has an error, which is named", () => {
    const inventory = sampleInventory({ wanted: ["c1/n1 b", "c2/n3 b"], live: [] });
    const about = { cluster: "c1", namespace: "n1", attribution: "a" };
    inventory.registerError({ stage: "desired", ...about, what: "the chart refuses a" });
    expect(planWaves(planChanges(inventory, planning), desired)).toMatchObject({
      actions: [{ cluster: "c2", name: "b" }],
      refusals: [{ cluster: "c1", name: "b", reason: "b comes after a, which has an error: the chart refuses a" }],
    });
  });
});
