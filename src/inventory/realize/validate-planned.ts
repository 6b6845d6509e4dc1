import { describeError, valueAt } from "#base";
import type { KubeObject } from "#kube";
import type { ClusterClients } from "../current/cluster-clients.ts";
import type { InventoryEntry, ResourceInventory } from "../resource-inventory.ts";
import { neededObjects } from "./needed-objects.ts";

const workloads = new Set(["Deployment", "DeploymentConfig", "StatefulSet", "CronJob"]);
const servingCertificates = ["alpha", "beta"].map((stage) => `service.${stage}.openshift.io/serving-cert-secret-name`);

/**
 * Looks whether workloads that are wanted will find the Secrets and ConfigMaps they need: wanted too, or there, with the keys. What is
 * missing is registered as an error of the workload, which is then neither changed nor deleted.
 */
export async function validatePlanned(
  inventory: ResourceInventory,
  clusters: ClusterClients,
  signal: AbortSignal,
): Promise<void> {
  const entries = [...inventory];
  const found = new Map<string, Promise<KubeObject | undefined>>();
  for (const { cluster, namespace, type, desired } of entries) {
    const client = clusters.get(cluster);
    if (!client) continue;
    for (const workload of desired.values()) {
      if (!workloads.has(workload.kind)) continue;
      for (const { kind, name, key } of neededObjects(workload.body)) {
        const wanted = findWanted(entries, cluster, namespace, kind, name);
        const address = JSON.stringify([cluster, namespace, kind, name]);
        const where = { stage: "desired" as const, cluster, namespace, attribution: workload.attribution };
        const needs = `${type} ${workload.name} needs ${kind} ${name}${key === undefined ? "" : ` with the key ${key}`}`;
        try {
          const live = found.get(address) ?? client.find({ apiVersion: "v1", kind, namespace, name }, signal);
          found.set(address, live);
          const holder = wanted ?? (await live);
          if (holder === "promised" || (holder !== undefined && (key === undefined || hasKey(holder, key)))) continue;
          const next = holder === undefined ? "add it, or create it" : "add the key";
          inventory.registerError({ ...where, what: `${needs}, which is missing`, next });
        } catch (error) {
          signal.throwIfAborted();
          inventory.registerError({ ...where, what: `${needs}, which cannot be read: ${describeError(error)}` });
        }
      }
    }
  }
}

/** What is wanted under the name, or that a Service will have it made. */
function findWanted(
  entries: readonly InventoryEntry[],
  cluster: string,
  namespace: string,
  kind: string,
  name: string,
): unknown {
  for (const entry of entries) {
    if (entry.cluster !== cluster || entry.namespace !== namespace) continue;
    for (const resource of entry.desired.values()) {
      if (resource.kind === kind && resource.name === name) return resource.body;
      const isPromise = kind === "Secret" && resource.kind === "Service";
      if (isPromise && servingCertificates.some((key) => resource.annotation(key) === name)) return "promised";
    }
  }
  return undefined;
}

function hasKey(holder: unknown, key: string): boolean {
  return ["data", "stringData", "binaryData"].some((map) => valueAt(holder, [map, key]) !== undefined);
}
