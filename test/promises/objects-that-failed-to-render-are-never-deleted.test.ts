import { expect, test } from "vitest";
import { never, useManaged } from "#harness";
import { ClusterClients, ManagedObject, realizeData } from "#inventory";
import { configMap } from "./managed/objects.ts";

const world = useManaged(["ConfigMap"]);
const { client, namespace } = world;
const identity = { integration: "test", integrationVersion: "0.1.0" };

async function run(wanted: Readonly<Record<string, readonly string[]>>, failed: readonly string[] = []) {
  const inventory = await world.inventory([]);
  for (const [attribution, names] of Object.entries(wanted)) {
    for (const name of names) {
      const value = new ManagedObject({ ...identity, body: configMap(name), attribution });
      inventory.addDesired({ cluster: "c1", namespace, kind: "ConfigMap", name, value });
    }
  }
  for (const attribution of failed) {
    inventory.registerError({
      stage: "desired",
      cluster: "c1",
      namespace,
      attribution,
      what: `${attribution} is not YAML`,
    });
  }
  return await realizeData({ ...identity, inventory, clusters: ClusterClients.of({ c1: client }) }, never);
}

test("an integration that fails to render keeps its objects, while undesired objects of another are deleted", async () => {
  await run({ broken: ["broken-a", "broken-b"], fine: ["fine-a", "fine-b"] });
  const { plan, outcomes, isSuccess } = await run({ fine: ["fine-a"] }, ["broken"]);
  expect(isSuccess).toBe(false);
  expect(outcomes.map(({ action, name, state }) => [action, name, state])).toEqual([["delete", "fine-b", "done"]]);
  expect(plan.refusals.map(({ name }) => name)).toEqual(["broken-a", "broken-b"]);
  const { items } = await client.list({ apiVersion: "v1", kind: "ConfigMap", namespace });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(["broken-a", "broken-b", "fine-a", "kube-root-ca.crt"]);
});
