import { describeError, valueAt } from "#base";
import {
  type ClusterClients,
  type ManagedObject,
  type Prerequisite,
  readinessOf,
  type ResourceInventory,
  takesTime,
  updatedAt,
} from "#inventory";
import { ApiError, type KubeClient, type KubeObject } from "#kube";

/** How an integration does in one namespace. Times are milliseconds since the epoch, by the clocks of the cluster and of who wrote. */
export type TargetHealth =
  | { readonly is: "healthy"; readonly since: number | undefined }
  | { readonly is: "pending"; readonly missing: string; readonly changedAt: number | undefined }
  | { readonly is: "failed"; readonly why: string };

/** Names a target of a prerequisite; how long it must be healthy does not matter. */
export function prerequisiteKey({ cluster, namespace, attribution }: Prerequisite): string {
  return JSON.stringify([cluster, namespace, attribution]);
}

interface HealthSources {
  readonly inventory: ResourceInventory;
  readonly clusters: ClusterClients;
}

/** Reads how the desired workloads of each target do, one list for each kind and namespace. */
export async function readHealth(
  prerequisites: readonly Prerequisite[],
  sources: HealthSources,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, TargetHealth>> {
  const live = new Map<string, Promise<readonly KubeObject[]>>();
  const listOnce = (client: KubeClient, apiVersion: string, kind: string, { cluster, namespace }: Prerequisite) => {
    const key = JSON.stringify([cluster, namespace, apiVersion, kind]);
    const known = live.get(key) ?? client.list({ apiVersion, kind, namespace }, signal).then(({ items }) => items);
    live.set(key, known);
    return known;
  };

  async function readTarget(target: Prerequisite): Promise<TargetHealth> {
    const client = sources.clusters.get(target.cluster);
    if (!client) {
      return { is: "pending", missing: sources.clusters.explain(target.cluster).what, changedAt: undefined };
    }
    try {
      const found = await Promise.all(
        workloadsOf(target, sources.inventory).map(async ({ apiVersion, kind, name }) => {
          const objects = await listOnce(client, apiVersion, kind, target);
          return { kind, name, object: objects.find(({ metadata }) => metadata.name === name) };
        }),
      );
      const pods = target.soakMs ? await podsIn(client, target.namespace, listOnce, target) : [];
      return judgeWorkloads(found, pods);
    } catch (error) {
      signal.throwIfAborted();
      return { is: "pending", missing: describeError(error), changedAt: undefined };
    }
  }

  const distinct = new Map(prerequisites.map((target) => [prerequisiteKey(target), target]));
  const read = await Promise.all([...distinct].map(async ([key, target]) => [key, await readTarget(target)] as const));
  return new Map(read);
}

function workloadsOf({ cluster, namespace, attribution }: Prerequisite, inventory: ResourceInventory): ManagedObject[] {
  return [...inventory]
    .filter((entry) => entry.cluster === cluster && entry.namespace === namespace)
    .flatMap(({ desired }) => Array.from(desired.values()))
    .filter((object) => object.attribution === attribution && takesTime(object.kind));
}

/** Pods tell of restarts that a Deployment hides and a StatefulSet has no field for. Without the right to see them, less is known. */
async function podsIn(
  client: KubeClient,
  namespace: string,
  list: (client: KubeClient, apiVersion: string, kind: string, target: Prerequisite) => Promise<readonly KubeObject[]>,
  target: Prerequisite,
): Promise<readonly KubeObject[]> {
  try {
    return await list(client, "v1", "Pod", { ...target, namespace });
  } catch (error) {
    if (error instanceof ApiError && error.isForbidden) return [];
    throw error;
  }
}

interface FoundWorkload {
  readonly kind: string;
  readonly name: string;
  readonly object: KubeObject | undefined;
}

/** All of them together: the worst counts, and the latest. */
export function judgeWorkloads(found: readonly FoundWorkload[], pods: readonly KubeObject[]): TargetHealth {
  const times = found.flatMap(({ object }) => (object ? (updatedAt(object) ?? []) : []));
  const changedAt = times.length === 0 ? undefined : Math.max(...times);
  let missing: string | undefined;
  for (const { kind, name, object } of found) {
    const readiness = object && readinessOf(object);
    if (readiness?.is === "failed") return { is: "failed", why: `${kind} ${name}: ${readiness.why}` };
    if (!readiness) missing ??= `${kind} ${name} does not exist`;
    else if (readiness.is === "pending") missing ??= `${kind} ${name}: ${readiness.missing}`;
  }
  if (missing !== undefined) return { is: "pending", missing, changedAt };
  const since = found.flatMap(({ object }) => (object ? timesOf(object, pods) : []));
  return { is: "healthy", since: since.length === 0 ? undefined : Math.max(...since) };
}

/** When a healthy workload last changed, became available, or had a pod that became ready. */
function timesOf(object: KubeObject, pods: readonly KubeObject[]): number[] {
  const selector = Object.entries(valueAt(object, ["spec", "selector", "matchLabels"]) ?? {});
  const own = pods.filter(({ metadata: { labels = {} } }) => selector.every(([key, value]) => labels[key] === value));
  return [
    updatedAt(object),
    timeOf(object, "Available", "lastTransitionTime"),
    timeOf(object, "Progressing", "lastUpdateTime"),
    ...(selector.length === 0 ? [] : own.map((pod) => timeOf(pod, "Ready", "lastTransitionTime"))),
  ].filter((time) => time !== undefined);
}

function timeOf(object: KubeObject, type: string, field: string): number | undefined {
  const conditions = valueAt(object, ["status", "conditions"]);
  const found: unknown = Array.isArray(conditions)
    ? conditions.find((each) => valueAt(each, ["type"]) === type)
    : undefined;
  const time = valueAt(found, [field]);
  const parsed = typeof time === "string" ? Date.parse(time) : Number.NaN;
  return Number.isNaN(parsed) ? undefined : parsed;
}
