import type { JsonObject } from "#base";
import { type ClusterClients, fetchCurrentState, ManagedObject, type ResourceInventory } from "#inventory";
import type { KubeObject } from "#kube";

export const configMaps = 1_000;
export const deployments = 200;

export function makeObjects(namespace: string): (KubeObject & JsonObject)[] {
  const maps = Array.from({ length: configMaps }, (_, index) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `map-${index}`, namespace, labels: { bench: "apply" } },
    data: { index: `${index}`, text: "x".repeat(500) },
  }));
  const workloads = Array.from({ length: deployments }, (_, index) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: `app-${index}`, namespace },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: `app-${index}` } },
      template: {
        metadata: { labels: { app: `app-${index}` } },
        spec: { containers: [{ name: "main", image: "example.invalid/app:1", args: ["--index", `${index}`] }] },
      },
    },
  }));
  return [...maps, ...workloads];
}

export const identity = { integration: "bench", integrationVersion: "1.0.0" };

/** The current objects of the namespace and these desired ones, as an integration collects them before it plans. */
export async function buildInventory(
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
