import { beforeAll, describe, expect, test } from "vitest";
import { valueAt } from "#base";
import type { ManagedRun } from "#integrations";
import { refOf } from "#kube";
import { useManagerWorld } from "./manager/manager-world.ts";
import { startManager } from "./manager/running-manager.ts";

const world = useManagerWorld();
const [here, there] = world.namespaces;
const deployment = { apiVersion: "apps/v1", kind: "Deployment", namespace: here, name: "a" };
const elsewhere = { ...deployment, namespace: there, name: "b" };
const byHand = { type: "merge", fieldManager: "kubectl-edit" } as const;
const polling = { interval: 50 };

beforeAll(async () => {
  await world.data.namespace("n1", { realName: here });
  await world.data.namespace("n2", { realName: there });
  await world.data.integration("a", [{ namespace: "n1" }]);
  await world.data.integration("b", [{ namespace: "n2" }]);
});

async function replicas(): Promise<unknown> {
  return valueAt(await world.client().find(deployment), ["spec", "replicas"]);
}

/** Leaves out the run for the data: a watch of a directory reads it once more at the start. */
function woken(runs: readonly ManagedRun[]): ManagedRun[] {
  return runs.filter(({ why }) => why !== "data");
}

describe("a change by another client", () => {
  test("a manual change or deletion is corrected by a watch, reading only that namespace", async () => {
    await using manager = await startManager(world);
    manager.calls.length = 0;
    await world.client().patch(deployment, { ...byHand, body: { spec: { replicas: 3 } } });
    await expect.poll(replicas, polling).toBe(1);
    expect(manager.calls.filter((call) => call.includes(there))).toEqual([]);
    const { uid } = (await world.client().get(deployment)).metadata;
    await world.client().delete(deployment);
    const isNew = async () => ![uid, undefined].includes((await world.client().find(deployment))?.metadata.uid);
    await expect.poll(isNew, polling).toBe(true);
  });

  test("a manual change wakes the manager once, and its own write does not wake it again", async () => {
    await using manager = await startManager(world);
    manager.runs.length = 0;
    const changes = [
      { object: deployment, body: { spec: { replicas: 3 } } },
      { object: deployment, body: { metadata: { annotations: { "qontract.sha256sum": "0" } } } },
      // One watch reports both namespaces in order: once this change arrives, all earlier ones have.
      { object: elsewhere, body: { spec: { replicas: 3 } } },
    ];
    for (const { object, body } of changes) {
      const corrected = manager.next(({ why }) => why === `c1/${object.namespace}`);
      await world.client().patch(object, { ...byHand, body });
      await corrected;
    }
    const done = woken(manager.runs).map(({ why, outcomes }) =>
      [why, ...outcomes.map(({ action }) => action)].join(" "),
    );
    expect(done).toEqual([`c1/${here} update`, `c1/${here} adopt`, `c1/${there} update`]);
  });

  test("a scale by hand is corrected; with an autoscaler it is left, and wakes the manager once", async () => {
    await using manager = await startManager(world);
    const scaleTo = async (count: number): Promise<ManagedRun> => {
      const noticed = manager.next(({ why }) => why === `c1/${here}`);
      const body = { spec: { replicas: count } };
      await world.client().patch(deployment, { type: "merge", fieldManager: "kubectl", subresource: "scale", body });
      return await noticed;
    };
    expect((await scaleTo(3)).outcomes).toMatchObject([{ action: "update", state: "done" }]);
    expect(await replicas()).toBe(1);

    const autoscaler = await world.client().create({
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { namespace: here, name: "a" },
      spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" }, maxReplicas: 9 },
    });
    manager.runs.length = 0;
    expect(await scaleTo(4)).toMatchObject({ isSuccess: true, outcomes: [] });
    // One watch reports both namespaces in order: once this change arrives, all earlier ones have.
    const corrected = manager.next(({ why }) => why === `c1/${there}`);
    await world.client().patch(elsewhere, { ...byHand, body: { spec: { replicas: 3 } } });
    await corrected;
    expect(woken(manager.runs).map(({ why }) => why)).toEqual([`c1/${here}`, `c1/${there}`]);
    expect(await replicas()).toBe(4);
    await world.client().delete(refOf(autoscaler));
    await scaleTo(2);
    expect(await replicas()).toBe(1);
  });

  test("a change of a foreign object does not wake the manager", async () => {
    await using manager = await startManager(world);
    manager.runs.length = 0;
    const foreign = { ...deployment, name: "foreign" };
    const found = await world.client().get(deployment);
    await world.client().create({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { namespace: here, name: "foreign" },
      spec: found["spec"],
    });
    await world.client().patch(foreign, { ...byHand, body: { spec: { replicas: 0 } } });
    await world.client().delete(foreign);
    const corrected = manager.next(({ why }) => why === `c1/${there}`);
    await world.client().patch(elsewhere, { ...byHand, body: { spec: { replicas: 2 } } });
    await corrected;
    expect(woken(manager.runs).map(({ why }) => why)).toEqual([`c1/${there}`]);
  });
});

test("a file that is added, changed or removed is rolled out at once", async () => {
  await using manager = await startManager(world);
  let rolled = manager.next(({ outcomes }) => outcomes.length > 0);
  await world.data.integration("c", [{ namespace: "n1" }]);
  expect((await rolled).outcomes).toMatchObject([{ action: "create", name: "c" }]);
  rolled = manager.next(({ outcomes }) => outcomes.length > 0);
  await world.data.remove("integrations", "c");
  expect((await rolled).outcomes).toMatchObject([{ action: "delete", name: "c" }]);
});
