import { describeError, type Logger, silentLogger, valueAt } from "#base";
import { ApiError, type ApiResource, type KubeClient, type KubeObject } from "#kube";
import { annotation } from "../object/attribution.ts";
import { replicasOf, scaledKey } from "../object/autoscaling.ts";
import type { InventoryEntry, ResourceInventory } from "../resource-inventory.ts";
import type { ClusterClients } from "./cluster-clients.ts";

/** Kinds that scale other objects. The first is part of Kubernetes; KEDA's scales to zero by itself. */
const autoscalers = [
  { group: "autoscaling", kind: "HorizontalPodAutoscaler" },
  { group: "keda.sh", kind: "ScaledObject" },
] as const;

/**
 * Looks which objects of the inventory have an autoscaler, so that a plan leaves their `replicas` to it. One list for each kind
 * of autoscaler, and only in namespaces where the replicas of an object differ from the desired ones. Call it after everything
 * desired is added; without it, a plan sets all replicas that are desired.
 */
export async function findAutoscalers(
  inventory: ResourceInventory,
  clusters: ClusterClients,
  { log = silentLogger }: { readonly log?: Logger | undefined },
  signal: AbortSignal,
): Promise<void> {
  const scaled = [...inventory].filter(hasOtherReplicas);
  const targets = Map.groupBy(scaled, ({ cluster, namespace }) => JSON.stringify([cluster, namespace]));
  await Promise.all(
    [...targets.values()].map(async ([first]) => {
      const client = first && clusters.get(first.cluster);
      if (!client) return;
      const { cluster, namespace } = first;
      try {
        inventory.addAutoscaling(cluster, namespace, { targets: await readTargets(client, namespace, signal) });
      } catch (error) {
        signal.throwIfAborted();
        const unread = describeError(error);
        log.error("autoscalers not read", { cluster, namespace, error: unread });
        const isForbidden = error instanceof ApiError && error.isForbidden;
        const next = isForbidden
          ? "allow Tenon to list horizontalpodautoscalers.autoscaling and scaledobjects.keda.sh there"
          : "run again";
        inventory.addAutoscaling(cluster, namespace, {
          targets: new Set(),
          unread: { what: unread, next, isForbidden },
        });
      }
    }),
  );
}

/** An object of which a plan may change the replicas. */
function hasOtherReplicas({ desired, current }: InventoryEntry): boolean {
  for (const [name, wanted] of desired) {
    const live = current.get(name);
    const found = live && replicasOf(live);
    if (!live || found === undefined || found === replicasOf(wanted)) continue;
    // Replicas that are not desired are removed only if they were desired when the object was applied.
    if (replicasOf(wanted) !== undefined || live.annotation(annotation.sha256) !== wanted.sha256()) return true;
  }
  return false;
}

async function readTargets(client: KubeClient, namespace: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const resources = await client.discovery.resources(signal);
  const served = autoscalers.flatMap(({ group, kind }) => {
    // The first of a group is in its preferred version.
    return resources.find((resource) => resource.kind === kind && resource.group === group) ?? [];
  });
  const found = await Promise.all(served.map((resource) => listTargets(client, resource, namespace, signal)));
  return new Set(found.flat());
}

async function listTargets(
  client: KubeClient,
  { apiVersion, kind }: ApiResource,
  namespace: string,
  signal: AbortSignal,
): Promise<string[]> {
  const { items } = await client.list({ apiVersion, kind, namespace }, signal);
  return items.map(targetOf);
}

function targetOf(autoscaler: KubeObject): string {
  // KEDA's may leave out the kind.
  const { kind = "Deployment", name } = { ...readReference(autoscaler) };
  return scaledKey({ kind: String(kind), name: String(name) });
}

function readReference(autoscaler: KubeObject): { readonly kind?: unknown; readonly name?: unknown } {
  const at = (field: string) => valueAt(autoscaler, ["spec", "scaleTargetRef", field]);
  const kind = at("kind");
  return { ...(kind === undefined ? {} : { kind }), name: at("name") };
}
