import { beforeAll, expect, test } from "vitest";
import { useManagerWorld } from "./manager/manager-world.ts";

const world = useManagerWorld({ clusters: 2 });
const [here, there] = world.namespaces;

beforeAll(async () => {
  await world.data.namespace("n1", { realName: here });
  await world.data.namespace("n2", { realName: here, cluster: "c2", environment: "other" });
  await world.data.namespace("n3", { realName: there });
  for (const name of ["keep", "gone-1", "gone-2"]) {
    await world.data.integration(name, [{ namespace: "n1" }, { namespace: "n2" }]);
  }
  await world.data.integration("left", [{ namespace: "n3" }]);
  await world.run();
  await world.data.integration("gone-1", []);
  await world.data.integration("gone-2", []);
  await world.data.remove("integrations", "left");
});

test.each([
  {
    reason: "one integration: leftovers of another and objects without attribution stay",
    desire: { integration: ["gone-1"] },
    clusters: ["c1", "c2"],
    deleted: ["c1 delete Deployment gone-1", "c2 delete Deployment gone-1"],
  },
  {
    reason: "one cluster: the other is not read",
    desire: { cluster: ["c2"] },
    clusters: ["c2"],
    deleted: ["c2 delete Deployment gone-2"],
  },
  {
    reason: "one environment",
    desire: { environment: "other" },
    clusters: ["c2"],
    deleted: [],
  },
  {
    reason: "no filter: everything undesired is deleted",
    desire: {},
    clusters: ["c1", "c2"],
    deleted: ["c1 delete Deployment gone-2", "c1 delete Deployment left", "c1 delete Service integrations"],
  },
])("a run narrowed to $reason", async ({ desire, deleted, clusters }) => {
  world.calls.length = 0;
  const { done, isSuccess } = await world.run({ desire });
  expect({ done: done.toSorted(), isSuccess }).toEqual({ done: deleted, isSuccess: true });
  const asked = new Set(world.calls.map((call) => call.slice(0, 2)));
  expect(asked).toEqual(new Set(clusters));
});

test("a run for one integration reads and plans only the namespaces in which it runs", async () => {
  await world.data.integration("alone", [{ namespace: "n1" }]);
  await world.client("c2").delete({ apiVersion: "v1", kind: "Service", namespace: here, name: "integrations" });
  world.calls.length = 0;
  const { done, plan } = await world.run({ desire: { integration: ["alone"] } });
  expect(done).toEqual(["c1 create Deployment alone"]);
  expect(plan).toMatchObject({ refusals: [], errors: [] });
  expect(world.calls.filter((call) => !call.startsWith("c1 ") || call.includes(`/${there}/`))).toEqual([]);
  await world.data.remove("integrations", "alone");
  expect((await world.run()).done).toEqual(["c1 delete Deployment alone", "c2 create Service integrations"]);
});

test("objects that were kept exist until the end", async () => {
  expect(await world.workloads(here)).toEqual(["Deployment keep", "Service integrations"]);
  expect(await world.workloads(here, "c2")).toEqual(["Deployment keep", "Service integrations"]);
});
