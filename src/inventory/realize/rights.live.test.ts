import { beforeEach, expect, test } from "vitest";
import type { JsonObject } from "#base";
import { never, clientWithRights, type RoleRule, useManaged } from "#harness";
import { refOf } from "#kube";
import { ClusterClients } from "../current/cluster-clients.ts";
import { fetchCurrentState } from "../current/fetch-current-state.ts";
import { realizeData } from "./realize-plan.ts";
import type { ResourceInventory } from "../resource-inventory.ts";
import { ManagedObject } from "../object/managed-object.ts";

const world = useManaged(["ConfigMap", "Secret", "Service"]);
const { client, namespace } = world;
const identity = { integration: "test", integrationVersion: "0.1.0" };
const service: JsonObject = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web" },
  spec: { ports: [{ port: 80 }] },
};

beforeEach(async () => {
  for (const kind of ["ConfigMap", "Secret", "Service"]) {
    const { items } = await client.list({ apiVersion: "v1", kind, namespace });
    for (const item of items) await client.delete(refOf(item));
  }
});

function configMap(name: string): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: "1" } };
}

function want(inventory: ResourceInventory, body: JsonObject, privileged = false): void {
  inventory.addDesiredResource("c1", namespace, new ManagedObject({ ...identity, body }), privileged);
}

const read: RoleRule = {
  apiGroups: [""],
  resources: ["configmaps", "secrets", "services"],
  verbs: ["list", "get"],
};
const write = (resource: string): RoleRule => ({
  apiGroups: [""],
  resources: [resource],
  verbs: ["patch", "create", "delete"],
});

test("D-28: a kind that may not be written fails alone; a kind that may not be read stops its namespace", async () => {
  const mayNotWrite = ClusterClients.of({ c1: await clientWithRights(world, [read, write("configmaps")]) });
  const written = await world.run([service, configMap("good")], { clusters: mayNotWrite });
  expect(written.isSuccess).toBe(false);
  expect(written.outcomes).toMatchObject([
    { kind: "ConfigMap", name: "good", state: "done" },
    {
      kind: "Service",
      name: "web",
      state: "failed",
      reason: expect.stringContaining('cannot patch resource "services"'),
    },
  ]);

  const mayNotRead = ClusterClients.of({ c1: await clientWithRights(world, [write("configmaps"), write("services")]) });
  const blind = await world.run([service, configMap("good")], { clusters: mayNotRead });
  expect(blind.isSuccess).toBe(false);
  expect(blind.outcomes).toEqual([]);
  expect(blind.plan.errors).toContainEqual(
    expect.objectContaining({
      what: expect.stringMatching(/^Service cannot be read: .*forbidden/s),
      next: expect.stringMatching(
        /^grant the right: `tenon doctor --rbac --only manage --managed-namespace \S+` prints the Role$/,
      ),
    }),
  );
});

test("D-24: privileged kinds are written with the administrator's rights, others with the run's own", async () => {
  await using clusters = await ClusterClients.connect(
    [
      {
        name: "c1",
        open: () => clientWithRights(world, [read, write("configmaps")]),
        openPrivileged: async () => client,
      },
    ],
    {},
    never,
  );
  const inventory = await world.inventory([], { clusters });
  want(inventory, service, true);
  want(inventory, configMap("own"));
  want(inventory, { apiVersion: "v1", kind: "Secret", metadata: { name: "not-mine" } });
  const done = await realizeData({ ...identity, inventory, clusters }, never);
  expect(done.outcomes.map(({ kind, state, privileged }) => [kind, state, privileged])).toEqual([
    ["Secret", "failed", false],
    ["ConfigMap", "done", false],
    ["Service", "done", true],
  ]);
});

test("D-24: a namespace of administrators is read, written and pruned with their rights", async () => {
  await using clusters = await ClusterClients.connect(
    [{ name: "c1", open: () => clientWithRights(world, []), openPrivileged: async () => client }],
    {},
    never,
  );
  const namespaces = [{ cluster: "c1", namespace, clusterAdmin: true }];
  const run = async (...names: string[]) => {
    const { inventory } = await fetchCurrentState(
      { ...identity, namespaces, managedKinds: ["ConfigMap"], clusters },
      never,
    );
    for (const name of names) want(inventory, configMap(name));
    return await realizeData({ ...identity, inventory, clusters }, never);
  };
  await run("kept", "gone");
  const { outcomes } = await run("kept");
  expect(outcomes).toMatchObject([{ action: "delete", name: "gone", state: "done", privileged: true }]);
});
