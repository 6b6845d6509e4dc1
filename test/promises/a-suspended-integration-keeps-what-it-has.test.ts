import { beforeAll, expect, test } from "vitest";
import { createMetrics, valueAt } from "#base";
import { useManagerWorld } from "./manager/manager-world.ts";
import { startManager } from "./manager/running-manager.ts";

const world = useManagerWorld();
const [here, there] = world.namespaces;
const deployment = { apiVersion: "apps/v1", kind: "Deployment", namespace: here, name: "a" };
const byHand = { type: "merge", fieldManager: "kubectl-edit" } as const;

beforeAll(async () => {
  await world.data.namespace("n1", { realName: here });
  await world.data.namespace("n2", { realName: there });
});

async function scale(count: number): Promise<void> {
  await world.client().patch(deployment, { ...byHand, body: { spec: { replicas: count } } });
}

async function annotate(reason: string | null): Promise<void> {
  const body = { metadata: { annotations: { "tenon.dev/suspend": reason } } };
  await world.client().patch(deployment, { ...byHand, body });
}

async function replicas(): Promise<unknown> {
  return valueAt(await world.client().find(deployment), ["spec", "replicas"]);
}

test("an integration that its data file suspends is neither created, changed nor pruned; after it, all of that is done", async () => {
  const suspend = { reason: "frozen" };
  await world.data.integration("a", [{ namespace: "n1" }]);
  await world.data.integration("b", [{ namespace: "n1" }, { namespace: "n2" }]);
  await world.run();
  await scale(3);
  await world.data.integration("a", [{ namespace: "n1" }, { namespace: "n2" }], { suspend });
  await world.data.integration("b", [{ namespace: "n1", spec: { extraArgs: "--new" } }], { suspend });
  const held = await world.run();
  expect(held.done).toEqual([]);
  expect(held.isSuccess).toBe(true);
  const described = held.plan.refusals.map(({ action, namespace, name, reason }) => [action, namespace, name, reason]);
  expect(described).toEqual(
    expect.arrayContaining([
      ["update", here, "a", "suspended: frozen"],
      ["create", there, "a", "suspended: frozen"],
      ["update", here, "b", "suspended: frozen"],
      ["delete", there, "b", "suspended: frozen"],
    ]),
  );
  expect(held.warnings.map(({ what }) => what)).toContain("a is suspended: frozen");

  await world.data.integration("a", [{ namespace: "n1" }, { namespace: "n2" }]);
  await world.data.integration("b", [{ namespace: "n1", spec: { extraArgs: "--new" } }]);
  const resumed = await world.run();
  expect(resumed.done).toEqual(
    expect.arrayContaining([
      "c1 update Deployment a",
      "c1 create Deployment a",
      "c1 update Deployment b",
      "c1 delete Deployment b",
    ]),
  );
  expect((await world.plan()).actions).toEqual([]);
});

test("a running manager leaves an annotated integration alone, and corrects it once the annotation is gone", async () => {
  const metrics = createMetrics();
  await using manager = await startManager(world, { metrics });
  let seen = manager.next(({ why }) => why === `c1/${here}`);
  await annotate("incident 42");
  await seen;
  seen = manager.next(({ why }) => why === `c1/${here}`);
  await scale(3);
  expect((await seen).outcomes).toEqual([]);
  expect(await replicas()).toBe(3);
  const labels = `integration="a",cluster="c1",namespace="${here}"`;
  expect((await metrics.expose()).body).toContain(`tenon_integration_suspended{${labels}} 1`);

  seen = manager.next(({ outcomes }) => outcomes.length > 0);
  await annotate(null);
  expect((await seen).outcomes).toMatchObject([{ action: "update", name: "a" }]);
  expect(await replicas()).toBe(1);
  expect((await metrics.expose()).body).not.toContain(`tenon_integration_suspended{${labels}}`);
});

test("a running manager makes the pending changes when the data resumes an integration whose objects are described as before", async () => {
  const metrics = createMetrics();
  await using manager = await startManager(world, { metrics });
  await world.data.integration("a", [{ namespace: "n1" }, { namespace: "n2" }], { suspend: { reason: "frozen" } });
  const labels = `integration="a",cluster="c1",namespace="${here}"`;
  await expect
    .poll(async () => (await metrics.expose()).body, { interval: 50 })
    .toContain(`tenon_integration_suspended{${labels}} 1`);
  const seen = manager.next(({ why }) => why === `c1/${here}`);
  await scale(3);
  await seen;
  const corrected = manager.next(({ outcomes }) => outcomes.length > 0);
  await world.data.integration("a", [{ namespace: "n1" }, { namespace: "n2" }]);
  expect((await corrected).outcomes).toMatchObject([{ action: "update", name: "a" }]);
});

test("a running manager prunes what a suspended integration without any target has left, once it is resumed", async () => {
  await world.data.integration("a", [], { suspend: { reason: "frozen" } });
  await using manager = await startManager(world);
  expect(manager.runs.flatMap(({ outcomes }) => outcomes)).toEqual([]);
  const pruned = manager.next(({ outcomes }) => outcomes.length > 0);
  await world.data.integration("a", []);
  expect((await pruned).outcomes.map(({ action, name }) => `${action} ${name}`)).toEqual([
    "delete a",
    "delete a",
    "delete integrations",
  ]);
});
