import {
  type Clock,
  describeError,
  InputError,
  type Logger,
  type Metrics,
  Semaphore,
  silentLogger,
  systemClock,
} from "#base";
import type { ApiResource, KubeClient, KubeObject } from "#kube";
import type { ClusterClients } from "./cluster-clients.ts";
import { resolveKind, suggestKind } from "./resolve-kind.ts";
import { inventoryMetrics } from "../inventory-metrics.ts";
import { grantMissingRight } from "../missing-right.ts";
import { clusterScope, ResourceInventory } from "../resource-inventory.ts";
import { liveBody, ManagedObject } from "../object/managed-object.ts";

/** A namespace whose objects an integration manages; `cluster` stands for objects without one. */
export interface ManagedNamespace {
  readonly cluster: string;
  readonly namespace: string;
  /** Kinds that are managed here; default: those of the run. */
  readonly managedKinds?: readonly string[] | undefined;
  /** By kind: the only names that are managed. They are read one by one, so that no right to list is needed. */
  readonly managedNames?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Everything here is read and written with the rights of an administrator. */
  readonly clusterAdmin?: boolean | undefined;
}

export interface FetchOptions {
  readonly namespaces: readonly ManagedNamespace[];
  /** `Kind`, `Kind.group` or `Kind.group/version`. */
  readonly managedKinds: readonly string[];
  readonly integration: string;
  readonly integrationVersion?: string | undefined;
  readonly clusters: ClusterClients;
  /** Reads at once, of each cluster: a slow cluster does not delay the others. Default 10. */
  readonly threadPoolSize?: number | undefined;
  readonly log?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
  readonly clock?: Pick<Clock, "monotonic"> | undefined;
  /** Called after each list: how many of how many are read. */
  readonly onRead?: ((done: number, total: number) => void) | undefined;
}

export interface CurrentState {
  readonly inventory: ResourceInventory;
  readonly clusters: ClusterClients;
}

interface Scope {
  readonly cluster: string;
  readonly namespace: string;
  readonly type: string;
  readonly names: readonly string[] | undefined;
  readonly privileged: boolean;
}

/**
 * Reads what is there: one list for each kind and namespace, in pages. What cannot be read is noted in the inventory as an
 * error of its cluster, and the rest is read all the same. A namespace that does not exist is empty.
 */
export async function fetchCurrentState(options: FetchOptions, signal: AbortSignal): Promise<CurrentState> {
  const { clusters, log = silentLogger } = options;
  const inventory = new ResourceInventory();
  const scopes = scopesOf(options, inventory);
  const byCluster = Map.groupBy(scopes, ({ cluster }) => cluster);
  for (const [cluster] of byCluster) {
    if (clusters.get(cluster)) continue;
    const { what, next } = clusters.explain(cluster);
    log.error("cluster not read", { cluster, error: what });
    inventory.registerError({ cluster, what, next });
  }
  let done = 0;
  const onScope = (): void => options.onRead?.(++done, scopes.length);
  await Promise.all([...byCluster].map(([, ofCluster]) => readCluster(ofCluster, inventory, options, onScope, signal)));
  signal.throwIfAborted();
  return { inventory, clusters };
}

/** In the order in which they were given, each once. A cluster that is skipped is not managed. */
function scopesOf(options: FetchOptions, inventory: ResourceInventory): Scope[] {
  const scopes = new Map<string, Scope>();
  for (const place of options.namespaces) {
    const { cluster, namespace, managedKinds = options.managedKinds, managedNames = {} } = place;
    if (options.clusters.isSkipped(cluster)) continue;
    tellStrayNames(place, options, inventory);
    for (const type of managedKinds) {
      const names = Object.hasOwn(managedNames, type) ? managedNames[type] : undefined;
      const privileged = place.clusterAdmin ?? false;
      const key = JSON.stringify([cluster, namespace, type]);
      if (scopes.has(key)) continue;
      scopes.set(key, { cluster, namespace, type, names, privileged });
      inventory.initialize(cluster, namespace, type, names, privileged);
    }
  }
  return [...scopes.values()];
}

/**
 * Under a kind that is mistyped, names would leave all objects of the right one to us. Who leaves the kinds to the run may
 * name more than one run manages.
 */
function tellStrayNames(
  { cluster, namespace, managedKinds: own, managedNames = {} }: ManagedNamespace,
  { managedKinds, log = silentLogger }: FetchOptions,
  inventory: ResourceInventory,
): void {
  const stray = Object.keys(managedNames).filter((kind) => !(own ?? managedKinds).includes(kind));
  for (const kind of stray) {
    if (own) {
      const next = `managed there are ${own.join(", ") || "no kinds"}`;
      inventory.registerError({ cluster, namespace, what: `names are given for ${kind}, which is not managed`, next });
    } else {
      log.debug("names of a kind that is not managed", { cluster, namespace, kind });
    }
  }
}

async function readCluster(
  scopes: readonly Scope[],
  inventory: ResourceInventory,
  { clusters, integration, integrationVersion = "", threadPoolSize = 10, ...options }: FetchOptions,
  onScope: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { log = silentLogger, metrics, clock = systemClock } = options;
  const places = new Semaphore(threadPoolSize);
  const timings = inventoryMetrics(metrics);

  async function readScope({ cluster, namespace, type, names, privileged }: Scope): Promise<void> {
    const client = clusters.get(cluster, { privileged });
    if (!client) return;
    try {
      const resources = await client.discovery.resources(signal);
      const resource = resolveKind(type, resources);
      if (!resource) {
        log.warn("kind not served", { cluster, kind: type, next: suggestKind(type, resources) });
        return;
      }
      const start = clock.monotonic();
      for await (const object of readObjects(client, resource, { namespace, names }, signal)) {
        const found = { body: liveBody(object), integration, integrationVersion, skipValidation: true };
        inventory.addCurrent(cluster, namespace, type, object.metadata.name, new ManagedObject(found));
      }
      timings.listed({ integration, cluster, kind: type, seconds: (clock.monotonic() - start) / 1000 });
    } catch (error) {
      signal.throwIfAborted();
      const what = describeError(error);
      log.error(`[${cluster}/${namespace}] ${what}`, { kind: type });
      const isScoped = namespace !== clusterScope;
      const next =
        error instanceof InputError ? error.next : grantMissingRight(error, isScoped ? namespace : undefined);
      inventory.registerError({ cluster, namespace, what: `${type} cannot be read: ${what}`, next });
    }
  }

  await Promise.all(
    scopes.map(async (scope) => {
      await places.run(() => readScope(scope), signal);
      onScope();
    }),
  );
}

async function* readObjects(
  client: KubeClient,
  { apiVersion, kind, isNamespaced }: ApiResource,
  { namespace, names }: { readonly namespace: string; readonly names: readonly string[] | undefined },
  signal: AbortSignal,
): AsyncGenerator<KubeObject> {
  if (isNamespaced === (namespace === clusterScope)) {
    throw new InputError(`${kind} is ${isNamespaced ? "a namespaced" : "a cluster-scoped"} kind`, {
      next: isNamespaced ? "name the namespace" : `manage the kind under the namespace ${clusterScope}`,
    });
  }
  const scope = { apiVersion, kind, namespace: isNamespaced ? namespace : undefined };
  if (!names) {
    for await (const { items } of client.pages(scope, {}, signal)) yield* items;
    return;
  }
  for (const name of names) {
    const found = await client.find({ ...scope, name }, signal);
    if (found) yield found;
  }
}
