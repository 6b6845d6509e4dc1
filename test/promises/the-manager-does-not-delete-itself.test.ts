import { beforeAll, expect, test } from "vitest";
import { valueAt } from "#base";
import { never } from "#harness";
import { applyPlan, findOwnWorkload, planFromData } from "#integrations";
import { useManagerWorld } from "./manager/manager-world.ts";

const world = useManagerWorld();
const [here] = world.namespaces;
const name = "integrations-manager";
const own = { apiVersion: "apps/v1", kind: "Deployment", namespace: here, name };

beforeAll(async () => {
  await world.data.namespace("n1", { realName: here });
  await world.data.integration(name, [{ namespace: "n1" }]);
  await world.data.integration("a", [{ namespace: "n1" }]);
});

test("the manager creates and updates itself as its own file says, after everything else", async () => {
  expect((await world.run()).isSuccess).toBe(true);
  await world.data.namespace("n1", { realName: here, parameters: { IMAGE_TAG: "2" } });
  world.calls.length = 0;
  expect((await world.run()).done.toSorted()).toEqual(["c1 update Deployment a", `c1 update Deployment ${name}`]);
  const writes = world.calls.filter((call) => call.includes(" PATCH "));
  expect(writes.at(-1)).toContain(`/deployments/${name}`);
});

test("the manager finds the workload that its pod belongs to", async () => {
  await expect
    .poll(async () => (await world.client().list({ apiVersion: "v1", kind: "Pod", namespace: here })).items.length)
    .toBeGreaterThanOrEqual(2);
  const { items } = await world.client().list({ apiVersion: "v1", kind: "Pod", namespace: here });
  const found = await Promise.all(
    items.map(({ metadata }) => findOwnWorkload(world.client(), { namespace: here, name: metadata.name }, never)),
  );
  expect(found).toContainEqual({ namespace: here, kind: "Deployment", name });
  expect(await findOwnWorkload(world.client(), { namespace: here, name: "absent" }, never)).toBeUndefined();
});

test("the deletion of the manager itself must be confirmed: as an integration, by its shard, and as its own workload", async () => {
  await world.data.remove("integrations", name);
  const removed = await world.run();
  expect(removed.done).toEqual([]);
  expect(removed.isSuccess).toBe(false);
  expect(removed.plan.refusals).toMatchObject([{ name, reason: "the manager would delete itself" }]);

  await world.data.remove("integrations", "a");
  await world.data.integration("b", [{ namespace: "n1" }]);
  const all = await world.options({ ownWorkload: { namespace: here, kind: "Deployment", name: "a" } });
  await using planned = await planFromData(all, never);
  const { outcomes } = await applyPlan(planned, all, never);
  expect(outcomes.map(({ action, name: object }) => `${action} ${object}`)).toEqual(["create b"]);
  expect(valueAt(await world.client().get(own), ["spec", "replicas"])).toBe(1);

  const confirmed = await world.run({ deletionsConfirmed: true });
  expect(confirmed.done).toEqual(["c1 delete Deployment a", `c1 delete Deployment ${name}`]);
});
