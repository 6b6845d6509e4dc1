import type { JsonObject } from "#base";
import { type ClusterClients, fetchCurrentState, ManagedObject, type ResourceInventory } from "#inventory";

export const identity = { integration: "bench", integrationVersion: "1.0.0" };

/** What an integration does before it plans. */
export async function readAndWant(
  clusters: ClusterClients,
  namespace: string,
  objects: readonly JsonObject[],
): Promise<ResourceInventory> {
  const namespaces = [{ cluster: "main", namespace }];
  const managedKinds = ["ConfigMap", "Deployment"];
  const options = { ...identity, namespaces, managedKinds, clusters };
  const { inventory } = await fetchCurrentState(options, new AbortController().signal);
  for (const body of objects) {
    const value = new ManagedObject({ ...identity, body });
    inventory.addDesired({ cluster: "main", namespace, kind: value.kind, name: value.name, value });
  }
  return inventory;
}
