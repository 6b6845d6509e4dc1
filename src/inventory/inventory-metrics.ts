import type { Metrics } from "#base";
import type { ResourceInventory } from "./resource-inventory.ts";

/** What a run counts, by the names that qontract-reconcile gave them. */
export interface InventoryMetrics {
  counted(entry: InventoryCount): void;
  listed(list: {
    readonly integration: string;
    readonly cluster: string;
    readonly kind: string;
    readonly seconds: number;
  }): void;
  called(integration: string): void;
  opened(cluster: string): void;
  arrived(change: { readonly name: string; readonly integration: string; readonly seconds: number }): void;
}

interface InventoryCount {
  readonly integration: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly kind: string;
  readonly state: "current" | "desired";
  readonly count: number;
}

const silent: InventoryMetrics = { counted() {}, listed() {}, called() {}, opened() {}, arrived() {} };
const byRegistry = new WeakMap<Metrics, InventoryMetrics>();

/** One set a registry: a name can be taken once. */
export function inventoryMetrics(metrics: Metrics | undefined): InventoryMetrics {
  if (metrics === undefined) return silent;
  const known = byRegistry.get(metrics) ?? register(metrics);
  byRegistry.set(metrics, known);
  return known;
}

/** How many objects are desired and live, by kind and namespace, zeros included. */
export function publishMetrics(inventory: ResourceInventory, integration: string, metrics: Metrics): void {
  const counts = inventoryMetrics(metrics);
  for (const { cluster, namespace, type, current, desired } of inventory) {
    const place = { integration: integration.replaceAll("_", "-"), cluster, namespace, kind: type };
    counts.counted({ ...place, state: "current", count: current.size });
    counts.counted({ ...place, state: "desired", count: desired.size });
  }
}

function register(metrics: Metrics): InventoryMetrics {
  const objects = metrics.gauge(
    "qontract_reconcile_openshift_resource_inventory",
    "Objects that an integration desires (desired) and that exist (current).",
    ["integration", "cluster", "namespace", "kind", "state"],
  );
  const lists = metrics.histogram(
    "qontract_reconcile_oc_get_items_seconds",
    "How long it took to read the objects of one kind in one namespace.",
    ["integration", "cluster", "kind"],
    [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  );
  const calls = metrics.counter("oc_run_execution_counter", "Writes to clusters that an integration made.", [
    "integration",
  ]);
  const clients = metrics.counter(
    "qontract_reconcile_native_client",
    "Cluster clients that were created, all of them native.",
    ["cluster_name", "native_client"],
  );
  const arrivals = metrics.histogram(
    "qontract_reconcile_function_elapsed_seconds_since_bundle_commit",
    "How long after the data was committed a change arrived on a cluster.",
    ["name", "integration"],
    [60, 150, 300, 600, 1200, 1800, 2400, 3000],
  );
  return {
    counted: ({ count, ...labels }) => objects.set(count, labels),
    listed: ({ seconds, ...labels }) => lists.observe(seconds, labels),
    called: (integration) => calls.inc({ integration }),
    opened: (cluster) => clients.inc({ cluster_name: cluster, native_client: "True" }),
    arrived: ({ seconds, ...labels }) => arrivals.observe(seconds, labels),
  };
}
