import type { Metrics } from "#base";

/** The metrics of one queue; all durations in seconds. */
export interface QueueMetrics {
  added(): void;
  retried(): void;
  depth(keys: number): void;
  waited(seconds: number): void;
  worked(seconds: number): void;
  /** Called at each scrape, until disposed of, for how long each key in progress has been running. */
  watch(running: () => Iterable<number>): Disposable;
}

export const noQueueMetrics: QueueMetrics = {
  added() {},
  retried() {},
  depth() {},
  waited() {},
  worked() {},
  watch: () => ({ [Symbol.dispose]() {} }),
};

export type ReconcileResult = "success" | "requeue_after" | "error";

export interface ControllerMetrics {
  reconciled(result: ReconcileResult, seconds: number): void;
  failedTerminally(): void;
  mappingFailed(): void;
  workers(active: number, most: number): void;
}

/** The metrics of all controllers of a process, with the names that client-go and controller-runtime use. */
export interface RuntimeMetrics {
  queue(name: string): QueueMetrics;
  controller(name: string): ControllerMetrics;
  /** What Prometheus scrapes. Use this and not `Metrics.expose`: some values are computed at each scrape. */
  expose(): Promise<{ contentType: string; body: string }>;
}

/** From 10 ns, as https://github.com/kubernetes-sigs/controller-runtime/blob/main/pkg/metrics/workqueue.go, so that `le` adds up. */
const queueBuckets = Array.from({ length: 12 }, (_, power) => Number(`1e${power - 8}`));

/** As https://github.com/kubernetes-sigs/controller-runtime/blob/main/pkg/internal/controller/metrics/metrics.go */
const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** A registry accepts each name once, so the controllers of a registry share their metrics. */
const registered = new WeakMap<Metrics, RuntimeMetrics>();

export function runtimeMetrics(metrics: Metrics): RuntimeMetrics {
  const known = registered.get(metrics);
  if (known) return known;
  const refreshes = new Set<() => void>();
  const made: RuntimeMetrics = {
    queue: queueMetrics(metrics, refreshes),
    controller: controllerMetrics(metrics),
    expose() {
      for (const refresh of refreshes) refresh();
      return metrics.expose();
    },
  };
  registered.set(metrics, made);
  return made;
}

function queueMetrics(metrics: Metrics, refreshes: Set<() => void>): (name: string) => QueueMetrics {
  const label = ["name"] as const;
  const depth = metrics.gauge("workqueue_depth", "Keys that wait to be processed.", label);
  const adds = metrics.counter("workqueue_adds_total", "Keys added that were not waiting already.", label);
  const retries = metrics.counter("workqueue_retries_total", "Keys added again because their reconcile failed.", label);
  const waits = metrics.histogram(
    "workqueue_queue_duration_seconds",
    "How long keys wait before they are processed.",
    label,
    queueBuckets,
  );
  const works = metrics.histogram(
    "workqueue_work_duration_seconds",
    "How long processing a key takes.",
    label,
    queueBuckets,
  );
  const unfinished = metrics.gauge(
    "workqueue_unfinished_work_seconds",
    "Total time that the keys in progress have been running.",
    label,
  );
  const longest = metrics.gauge(
    "workqueue_longest_running_processor_seconds",
    "How long the longest running key has been in progress.",
    label,
  );
  return (name) => ({
    added: () => adds.inc({ name }),
    retried: () => retries.inc({ name }),
    depth: (keys) => depth.set(keys, { name }),
    waited: (seconds) => waits.observe(seconds, { name }),
    worked: (seconds) => works.observe(seconds, { name }),
    watch(running) {
      const refresh = () => {
        const seconds = [...running()];
        const sum = seconds.reduce((total, each) => total + each, 0);
        unfinished.set(sum, { name });
        longest.set(Math.max(0, ...seconds), { name });
      };
      refreshes.add(refresh);
      return {
        [Symbol.dispose]() {
          refresh();
          refreshes.delete(refresh);
        },
      };
    },
  });
}

function controllerMetrics(metrics: Metrics): (controller: string) => ControllerMetrics {
  const label = ["controller"] as const;
  const reconciles = metrics.counter("controller_runtime_reconcile_total", "Reconciles, by how they ended.", [
    "controller",
    "result",
  ]);
  const errors = metrics.counter("controller_runtime_reconcile_errors_total", "Reconciles that failed.", label);
  const terminal = metrics.counter(
    "controller_runtime_terminal_reconcile_errors_total",
    "Reconciles that failed and are not retried until something changes.",
    label,
  );
  const times = metrics.histogram(
    "controller_runtime_reconcile_time_seconds",
    "How long a reconcile takes.",
    label,
    reconcileBuckets,
  );
  const active = metrics.gauge("controller_runtime_active_workers", "Reconciles running now.", label);
  const most = metrics.gauge("controller_runtime_max_concurrent_reconciles", "Reconciles that may run at once.", label);
  const mappings = metrics.counter(
    "tenon_controller_mapping_errors_total",
    "Changes that could not be mapped to keys because the mapping function failed.",
    label,
  );
  return (controller) => ({
    reconciled(result, seconds) {
      reconciles.inc({ controller, result });
      times.observe(seconds, { controller });
      if (result === "error") errors.inc({ controller });
    },
    failedTerminally: () => terminal.inc({ controller }),
    mappingFailed: () => mappings.inc({ controller }),
    workers(running, limit) {
      active.set(running, { controller });
      most.set(limit, { controller });
    },
  });
}
