import { describe, expect, test } from "vitest";
import { liveAttribution, movedFromAnnotation, type Plan, planChanges, type ResourceInventory } from "#inventory";
import { sampleInventory, planning } from "./sample-order.fixture.ts";
import { planMoves } from "./plan-moves.ts";

const attribute = liveAttribution(new Set(["a", "b"]));

function movesOf(inventory: ResourceInventory): Plan {
  return planMoves(planChanges(inventory, planning), inventory, attribute);
}

function describeActions({ actions }: Plan): string[] {
  return actions.map(({ action, cluster, namespace, name, reason, waitsFor = [] }) => {
    const waits = waitsFor.map((each) => `${each.attribution} in ${each.cluster}/${each.namespace}`).join(", ");
    return `${action} ${cluster}/${namespace} ${name}: ${reason}${waits === "" ? "" : `; waits for ${waits}`}`;
  });
}

describe("a move is create, wait healthy, delete", () => {
  test("what is created in one namespace and deleted in another waits to be deleted, on another cluster too", () => {
    const made = movesOf(sampleInventory({ wanted: ["c2/n2 a", "c1/n1 b"], live: ["c1/n1 a", "c1/n1 b"] }));
    expect(describeActions(made)).toEqual([
      "delete c1/n1 a: moved to c2/n2; waits for a in c2/n2",
      "create c2/n2 a: moved from c1/n1",
    ]);
  });

  test("what is created at a destination says where it was moved from", () => {
    const { actions } = movesOf(sampleInventory({ wanted: ["c2/n2 a"], live: ["c1/n1 a", "c1/n3 a"] }));
    const created = actions.find(({ action }) => action === "create");
    expect(created?.body).toMatchObject({ metadata: { annotations: { [movedFromAnnotation]: "c1/n1,c1/n3" } } });
  });

  test("killed after the creation, the next run still waits before it deletes", () => {
    const live = ["c1/n1 a", { target: "c2/n2 a", movedFrom: "c1/n1" }];
    expect(describeActions(movesOf(sampleInventory({ wanted: ["c2/n2 a"], live })))).toEqual([
      "delete c1/n1 a: moved to c2/n2; waits for a in c2/n2",
    ]);
  });

  test("killed after the creation and changed since, it is still the destination of the move", () => {
    const live = ["c1/n1 a", { target: "c2/n2 a", movedFrom: "c1/n1", value: "old" }];
    const made = movesOf(sampleInventory({ wanted: ["c2/n2 a"], live }));
    expect(describeActions(made)).toEqual([
      "delete c1/n1 a: moved to c2/n2; waits for a in c2/n2",
      "update c2/n2 a: changed",
    ]);
    const annotations = { [movedFromAnnotation]: "c1/n1" };
    expect(made.actions.find(({ action }) => action === "update")?.body).toMatchObject({ metadata: { annotations } });
  });

  test.each([
    {
      reason: "it runs elsewhere already, and did not come from here",
      wanted: ["c2/n2 a"],
      live: ["c1/n1 a", "c2/n2 a"],
    },
    { reason: "it runs nowhere else", wanted: ["c2/n2 b"], live: ["c1/n1 a", "c2/n2 b"] },
    { reason: "only a shard of it goes", wanted: ["c1/n1 a", "c2/n2 a"], live: ["c1/n1 a", "c1/n1 a-1@a"] },
  ])("nothing waits when $reason", ({ wanted, live }) => {
    const { actions } = movesOf(sampleInventory({ wanted, live }));
    expect(actions.filter(({ action }) => action === "delete")).toMatchObject([{ reason: "no longer desired" }]);
    expect(actions.flatMap(({ waitsFor = [] }) => waitsFor)).toEqual([]);
  });

  test("what a namespace shares leaves it together with the last integration that moves away", () => {
    const made = movesOf(sampleInventory({ wanted: ["c2/n2 a"], live: ["c1/n1 a", "c1/n1 shared@"] }));
    expect(describeActions(made)).toContain("delete c1/n1 shared: no longer desired; waits for a in c2/n2");
  });
});

describe("the source is kept when the destination cannot be written", () => {
  test("because its cluster cannot be read", () => {
    const inventory = sampleInventory({ wanted: ["c2/n2 a"], live: ["c1/n1 a", "c1/n1 shared@"] });
    inventory.registerError({ cluster: "c2", what: "cluster c2 cannot be used: no such host" });
    const { actions, refusals } = movesOf(inventory);
    expect(actions).toEqual([]);
    expect(refusals).toMatchObject([
      { name: "a", reason: "a moves to c2/n2, where it cannot be written: cluster c2 cannot be used: no such host" },
      { name: "shared", isError: false },
    ]);
  });

  test("because the integration cannot be rendered there", () => {
    const inventory = sampleInventory({ wanted: ["c2/n2 b"], live: ["c1/n1 a"] });
    const about = { cluster: "c2", namespace: "n2", attribution: "a" };
    inventory.registerError({ stage: "desired", ...about, what: "the chart refuses a" });
    expect(movesOf(inventory)).toMatchObject({
      actions: [{ action: "create", name: "b" }],
      refusals: [{ action: "delete", name: "a", reason: expect.stringContaining("the chart refuses a") }],
    });
  });

  test("because an object there belongs to another owner", () => {
    const live = ["c1/n1 a", { target: "c2/n2 a", owner: "other" }];
    const { actions, refusals } = movesOf(sampleInventory({ wanted: ["c2/n2 a"], live }));
    expect(actions).toEqual([]);
    expect(refusals.map(({ action, cluster }) => `${action} ${cluster}`)).toEqual(["update c2", "delete c1"]);
  });
});
