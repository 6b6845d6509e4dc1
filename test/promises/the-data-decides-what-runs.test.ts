import { expect, test } from "vitest";
import { createMetrics } from "#base";
import { writesIn } from "#harness";
import { useManagerWorld } from "./manager/manager-world.ts";

const world = useManagerWorld();
const [here, there] = world.namespaces;
const shared = "Service integrations";

test("G8-01: a run creates what the data declares, and a second run does nothing", async () => {
  await world.data.namespace("n1", { realName: here });
  await world.data.namespace("n2", { realName: there, environment: "other" });
  await world.data.integration("a", [{ namespace: "n1" }]);
  await world.data.integration("b", [{ namespace: "n1", spec: { cron: "0 3 * * *" } }]);
  const { done, isSuccess } = await world.run();
  expect(isSuccess).toBe(true);
  expect(done).toEqual([`c1 create ${shared}`, "c1 create CronJob b", "c1 create Deployment a"]);
  expect(await world.workloads(here)).toEqual(["CronJob b", "Deployment a", shared]);
  world.calls.length = 0;
  expect((await world.run()).done).toEqual([]);
  expect(writesIn(world.calls.map((call) => call.slice(3)))).toEqual([]);
});

test("G8-02: a run deletes what the data no longer declares, and nothing else", async () => {
  await world.data.remove("integrations", "b");
  expect((await world.run()).done).toEqual(["c1 delete CronJob b"]);
  expect(await world.workloads(here)).toEqual(["Deployment a", shared]);
});

test("an added integration is deployed, shard by shard", async () => {
  await world.data.integration("c", [{ namespace: "n1", sharding: { strategy: "static", shards: 2 } }]);
  expect((await world.run()).done).toEqual(["c1 create Deployment c-0", "c1 create Deployment c-1"]);
});

test("a target that changes its namespace is created there first, then deleted here", async () => {
  await world.data.integration("c", [{ namespace: "n2", sharding: { strategy: "static", shards: 2 } }]);
  const { done, isSuccess } = await world.run();
  expect(isSuccess).toBe(true);
  expect(done.toSorted()).toEqual([
    "c1 create Deployment c-0",
    "c1 create Deployment c-1",
    `c1 create ${shared}`,
    "c1 delete Deployment c-0",
    "c1 delete Deployment c-1",
  ]);
  expect(await world.workloads(here)).toEqual(["Deployment a", shared]);
  expect(await world.workloads(there)).toEqual(["Deployment c-0", "Deployment c-1", shared]);
});

test("G8-10: the gauges count current and desired objects of the four kinds in each namespace, zeros too", async () => {
  const metrics = createMetrics();
  await world.plan({ metrics });
  const { body } = await metrics.expose();
  for (const kind of ["Deployment", "StatefulSet", "CronJob", "Service"]) {
    for (const state of ["current", "desired"]) {
      for (const namespace of [here, there]) {
        const labels = `integration="integrations-manager",cluster="c1",namespace="${namespace}",kind="${kind}",state="${state}"`;
        expect(body).toContain(`qontract_reconcile_openshift_resource_inventory{${labels}}`);
      }
    }
  }
});

test("a namespace that is marked for deletion is left alone, with a message", async () => {
  await world.data.namespace("n2", { realName: there, environment: "other", more: { delete: true } });
  const { done, warnings } = await world.run();
  expect(done).toEqual([]);
  expect(warnings).toMatchObject([{ what: expect.stringContaining("is marked for deletion") }]);
  await world.data.namespace("n2", { realName: there, environment: "other" });
});

test("G8-09: a namespace that loses its last integration is pruned, and then forgotten", async () => {
  await world.data.remove("integrations", "c");
  const narrowed = await world.run({ desire: { environment: "test" } });
  expect(narrowed.done, "a run that does not look there does not clean there").toEqual([]);
  const { done, isSuccess } = await world.run();
  expect(isSuccess).toBe(true);
  expect(done).toEqual(["c1 delete Deployment c-0", "c1 delete Deployment c-1", `c1 delete ${shared}`]);
  expect(await world.workloads(there)).toEqual([]);
  world.calls.length = 0;
  expect((await world.run()).done).toEqual([]);
  expect(world.calls.filter((call) => call.includes(there))).toEqual([]);
});

test("G8-03, B-4: an environment without integrations gives an empty plan, and no cluster is read", async () => {
  world.calls.length = 0;
  const { plan, isSuccess } = await world.run({ desire: { environment: "nowhere" } });
  expect(isSuccess).toBe(true);
  expect(plan).toMatchObject({ actions: [], refusals: [], errors: [], unchanged: 0 });
  expect(world.calls).toEqual([]);
});

test("the deletion of the last integration must be confirmed", async () => {
  await world.data.remove("integrations", "a");
  await world.data.integration("z", []);
  const careful = await world.run();
  expect(careful.done).toEqual([]);
  expect(careful.isSuccess).toBe(false);
  expect(careful.plan.refusals[0]?.reason).toContain("looks like an accident");
  const onMistyped = world.run({ desire: { cluster: ["c2"] } });
  await expect(onMistyped).rejects.toThrow("no integration runs on cluster c2");
  // It is known to have been one, though the data no longer says so.
  const { done } = await world.run({ deletionsConfirmed: true, desire: { cluster: ["c1"] } });
  expect(done).toEqual(["c1 delete Deployment a", `c1 delete ${shared}`]);
});
