import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { clusterHome, inspectBinary } from "#cluster";
import { testKubeconfig, useManaged } from "#harness";
import { allKinds, configMap, deployment, service } from "./managed/objects.ts";

const world = useManaged(allKinds);
const { client, namespace } = world;
const { kubectl } = await inspectBinary(clusterHome());

async function pods(): Promise<string[]> {
  const { items } = await client.list({ apiVersion: "v1", kind: "Pod", namespace });
  return items.map(({ metadata }) => metadata.uid ?? "").toSorted();
}

test.each([
  { reason: "kubectl apply", flags: ["apply"], name: "applied" },
  { reason: "kubectl create", flags: ["create"], name: "created" },
  { reason: "kubectl apply --server-side", flags: ["apply", "--server-side"], name: "server-side" },
])(
  "objects that $reason deployed are adopted: no pod restarts, nothing is deleted, the next plan is empty",
  async ({ flags, name }) => {
    const wanted = [configMap(name), service(name), deployment(name)];
    const input = JSON.stringify({ apiVersion: "v1", kind: "List", items: wanted });
    const all = ["--kubeconfig", testKubeconfig(), "--namespace", namespace, ...flags, "--filename", "-"];
    const { status, stderr } = spawnSync(kubectl, all, { input, encoding: "utf8" });
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const isRunning = async () => (await client.list({ apiVersion: "v1", kind: "Pod", namespace })).items.length;
    await expect.poll(isRunning, { interval: 100 }).toBe(1);
    const before = await pods();

    const { outcomes } = await world.run(wanted);
    expect(outcomes.map(({ action, state }) => `${action} ${state}`)).toEqual([
      "adopt done",
      "adopt done",
      "adopt done",
    ]);
    expect(await world.plan(wanted)).toMatchObject({ actions: [], unchanged: 3 });
    const sets = await client.list({ apiVersion: "apps/v1", kind: "ReplicaSet", namespace });
    expect(sets.items).toHaveLength(1);
    expect(await pods()).toEqual(before);

    await world.run([], { deletionsConfirmed: true });
    await expect.poll(isRunning, { interval: 100 }).toBe(0);
    await expect
      .poll(async () => (await client.list({ apiVersion: "apps/v1", kind: "ReplicaSet", namespace })).items.length)
      .toBe(0);
  },
);
