import { expect, test } from "vitest";
import { never, useManaged } from "#harness";
import { ClusterClients, type ActionOutcome, parsePlan, type Plan, realizePlan, serialisePlan } from "#inventory";
import { configMap, deployment } from "./managed/objects.ts";

const world = useManaged(["ConfigMap", "Deployment"]);
const { client, namespace } = world;

function ref(name: string) {
  return { apiVersion: "v1", kind: "ConfigMap", namespace, name };
}

/** As another process would, from a file. */
async function carryOut(plan: Plan): Promise<ActionOutcome[]> {
  return await realizePlan(parsePlan(serialisePlan(plan), "plan.json"), ClusterClients.of({ c1: client }), {}, never);
}

test("objects that were changed, deleted or replaced since the plan was made are left alone, and the rest is done", async () => {
  const names = ["changed", "deleted", "fine", "replaced", "unwanted"];
  await world.run(names.map((name) => configMap(name)));
  const plan = await world.plan(names.slice(0, 4).map((name) => configMap(name, { a: "2" })));
  await client.patch(ref("changed"), { type: "merge", body: { data: { a: "by hand" } } });
  await client.patch(ref("unwanted"), { type: "merge", body: { data: { a: "by hand" } } });
  await client.delete(ref("deleted"));
  await client.delete(ref("replaced"));
  await client.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name: "replaced" } });

  const outcomes = await carryOut(plan);
  expect(outcomes.map(({ name, state, reason }) => [name, state, reason])).toEqual([
    ["changed", "refused", "was changed since the plan was made"],
    ["deleted", "refused", "was deleted since the plan was made"],
    ["fine", "done", undefined],
    ["replaced", "refused", "was deleted and created again since the plan was made"],
    ["unwanted", "skipped", expect.stringContaining("nothing of it is deleted")],
  ]);
  expect(await client.get(ref("changed"))).toMatchObject({ data: { a: "by hand" } });
  expect(await client.find(ref("unwanted"))).toBeDefined();
});

test("an object that is desired again since the plan was made is not deleted", async () => {
  await world.run([configMap("fine", { a: "2" }), configMap("revived")], { deletions: { share: 1 } });
  const plan = await world.plan([configMap("fine", { a: "2" })]);
  await world.run([configMap("fine", { a: "2" }), configMap("revived", { a: "wanted" })]);
  expect(await carryOut(plan)).toMatchObject([{ name: "revived", state: "refused" }]);
  expect(await client.find(ref("revived"))).toBeDefined();
});

test("status updates of controllers do not make a plan stale", async () => {
  await world.run([deployment("app"), configMap("fine", { a: "2" })], { deletions: { share: 1 } });
  const plan = await world.plan([
    deployment("app", { app: "app" }, "example.invalid/app:2"),
    configMap("fine", { a: "2" }),
  ]);
  const live = { apiVersion: "apps/v1", kind: "Deployment", namespace, name: "app" };
  const conditions = [{ type: "Example", status: "True", reason: "Reported", message: "by a controller" }];
  await client.patch(live, { type: "merge", subresource: "status", body: { status: { conditions } } });
  const expected = plan.actions.find(({ name }) => name === "app")?.expected?.resourceVersion;
  expect((await client.get(live)).metadata.resourceVersion).not.toBe(expected);
  expect(await carryOut(plan)).toMatchObject([{ name: "app", state: "done" }]);
});
