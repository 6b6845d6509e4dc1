import { expect, test } from "vitest";
import { createMetrics } from "#base";
import { publishMetrics } from "./inventory-metrics.ts";
import { ManagedObject } from "./object/managed-object.ts";
import { ResourceInventory } from "./resource-inventory.ts";

function configMap(name: string): ManagedObject {
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
  return new ManagedObject({ body, integration: "a_b", integrationVersion: "0.1.0" });
}

test("D-47: desired and live objects are counted for each kind and namespace, zeros too, with dashes in the metric's name", async () => {
  const inventory = new ResourceInventory();
  inventory.initialize("c1", "n1", "ConfigMap");
  inventory.initialize("c1", "n1", "Service");
  for (const name of ["a", "b"]) inventory.addDesiredResource("c1", "n1", configMap(name));
  for (const name of ["a", "x", "y"]) inventory.addCurrent("c1", "n1", "ConfigMap", name, configMap(name));
  const metrics = createMetrics();
  publishMetrics(inventory, "a_b", metrics);
  const { body } = await metrics.expose();
  const name = "qontract_reconcile_openshift_resource_inventory";
  const place = 'integration="a-b",cluster="c1",namespace="n1"';
  expect(body.split("\n").filter((line) => line.startsWith(`${name}{`))).toEqual([
    `${name}{${place},kind="ConfigMap",state="current"} 3`,
    `${name}{${place},kind="ConfigMap",state="desired"} 2`,
    `${name}{${place},kind="Service",state="current"} 0`,
    `${name}{${place},kind="Service",state="desired"} 0`,
  ]);
});
