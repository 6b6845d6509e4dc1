import { describe, expect, test } from "vitest";
import { planChanges } from "#inventory";
import { sampleDesired, sampleGroup, sampleNamespace, sampleResource } from "../desired/sample-desired.fixture.ts";
import { sampleInventory, planning } from "./sample-order.fixture.ts";
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
