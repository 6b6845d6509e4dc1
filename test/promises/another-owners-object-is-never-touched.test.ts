import { expect, test } from "vitest";
import { useManaged, writesIn } from "#harness";
import { configMap } from "./managed/objects.ts";

const world = useManaged(["ConfigMap"]);
const { client, namespace, calls } = world;
const ref = { apiVersion: "v1", kind: "ConfigMap", namespace, name: "shared" };

test("an object of another owner is neither changed nor deleted, and its owner is named", async () => {
  await world.run([configMap("shared"), configMap("other")], { integration: "first-owner" });
  const before = await client.get(ref);
  calls.length = 0;
  const { plan, isSuccess } = await world.run([configMap("shared", { a: "2" })]);
  expect(isSuccess).toBe(false);
  expect(plan.refusals).toMatchObject([{ name: "shared", reason: "belongs to first-owner" }]);
  expect(writesIn(calls)).toEqual([]);
  expect(await client.get(ref)).toEqual(before);

  const taken = await world.run([configMap("shared", { a: "2" })], { takeOverFrom: ["first-owner"] });
  expect(taken.outcomes.map(({ action, name, state }) => [action, name, state])).toEqual([
    ["update", "shared", "done"],
    ["delete", "other", "done"],
  ]);
  expect((await client.get(ref)).metadata.annotations?.["qontract.integration"]).toBe("test");
});

test("an object that another owner makes between plan and apply is not overwritten", async () => {
  const plan = await world.plan([configMap("shared", { a: "2" }), configMap("late", { a: "ours" })]);
  await world.run([configMap("late", { a: "theirs" })], { integration: "first-owner" });
  const { realizePlan, ClusterClients } = await import("#inventory");
  const outcomes = await realizePlan(plan, ClusterClients.of({ c1: client }), {}, AbortSignal.timeout(300_000));
  expect(outcomes).toMatchObject([
    { name: "late", state: "refused", reason: "was created by first-owner since the plan was made" },
  ]);
  expect(await client.get({ ...ref, name: "late" })).toMatchObject({ data: { a: "theirs" } });
});
