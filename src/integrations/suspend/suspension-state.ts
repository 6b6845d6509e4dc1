import type { Logger, Metrics } from "#base";
import type { ResourceInventory } from "#inventory";
import { targetKey } from "../survey/survey-namespaces.ts";
import type { SuspendedIntegration } from "./find-suspended.ts";

/** One gauge for each integration and namespace; absent when it is not suspended. */
export interface SuspensionMetrics {
  suspended(one: SuspendedIntegration): void;
  resumed(one: SuspendedIntegration): void;
}

export function suspensionMetrics(metrics: Metrics | undefined): SuspensionMetrics {
  if (!metrics) return { suspended() {}, resumed() {} };
  const gauge = metrics.gauge(
    "tenon_integration_suspended",
    "1 for an integration that is suspended in a namespace: nothing of it is changed there.",
    ["integration", "cluster", "namespace"],
  );
  return {
    suspended: (one) => gauge.set(1, labelsOf(one)),
    resumed: (one) => gauge.remove(labelsOf(one)),
  };
}

function labelsOf({ integration, cluster, namespace }: SuspendedIntegration) {
  return { integration, cluster, namespace };
}

/** What is suspended, from run to run: says so in the log and in a metric when that changes. */
export class SuspensionState {
  readonly #log: Logger;
  readonly #metrics: SuspensionMetrics;
  #known: ReadonlyMap<string, SuspendedIntegration> = new Map();

  constructor(log: Logger, metrics: Metrics | undefined) {
    this.#log = log;
    this.#metrics = suspensionMetrics(metrics);
  }

  /** Of namespaces that the run did not read, what was known still holds. */
  update(integrations: readonly SuspendedIntegration[], inventory: ResourceInventory): void {
    const unread = new Set(
      inventory.errors.flatMap(({ stage, cluster }) => (stage === "desired" ? [] : (cluster ?? []))),
    );
    const read = new Set(
      [...inventory]
        .filter(({ cluster }) => !unread.has(cluster))
        .map(({ cluster, namespace }) => targetKey(cluster, namespace)),
    );
    const kept = [...this.#known.values()].filter(({ cluster, namespace }) => !read.has(targetKey(cluster, namespace)));
    const now = new Map([...kept, ...integrations].map((one) => [keyOf(one), one]));
    for (const [key, one] of now) {
      if (this.#known.get(key)?.reason === one.reason) continue;
      const { integration, cluster, namespace, reason, by, where } = one;
      this.#log.info("integration suspended", { integration, cluster, namespace, reason, by, where });
      this.#metrics.suspended(one);
    }
    for (const [key, one] of this.#known) {
      if (now.has(key)) continue;
      const { integration, cluster, namespace } = one;
      this.#log.info("integration resumed", { integration, cluster, namespace });
      this.#metrics.resumed(one);
    }
    this.#known = now;
  }
}

function keyOf({ integration, cluster, namespace }: SuspendedIntegration): string {
  return JSON.stringify([integration, cluster, namespace]);
}
