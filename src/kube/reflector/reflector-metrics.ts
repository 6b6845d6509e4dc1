import type { Metrics } from "#base";

/** The metrics of one reflector. */
export interface ReflectorMetrics {
  listed(items: number, seconds: number): void;
  watchStarted(): void;
  watchEnded(items: number, seconds: number): void;
  failed(): void;
  kept(objects: number): void;
}

const nothing: ReflectorMetrics = { listed() {}, watchStarted() {}, watchEnded() {}, failed() {}, kept() {} };

/** With client-go's names where it has the same metric: https://github.com/kubernetes/client-go/blob/master/tools/cache/reflector_metrics.go */
type ReflectorSeries = ReturnType<typeof registerSeries>;

/** A registry accepts each name once, so the reflectors of a registry share their metrics. */
const registered = new WeakMap<Metrics, ReflectorSeries>();

export function reflectorMetrics(metrics: Metrics | undefined, name: string): ReflectorMetrics {
  if (!metrics) return nothing;
  const series = registered.get(metrics) ?? registerSeries(metrics);
  registered.set(metrics, series);
  const labels = { name };
  return {
    listed(items, seconds) {
      series.lists.inc(labels);
      series.itemsPerList.observe(items, labels);
      series.listSeconds.observe(seconds, labels);
    },
    watchStarted: () => series.watches.inc(labels),
    watchEnded(items, seconds) {
      series.itemsPerWatch.observe(items, labels);
      series.watchSeconds.observe(seconds, labels);
    },
    failed: () => series.failures.inc(labels),
    kept: (objects) => series.objects.set(objects, labels),
  };
}

const counts = [0, 1, 10, 100, 1_000, 10_000, 100_000];
const seconds = [0.01, 0.1, 1, 10, 60, 300, 600];

function registerSeries(metrics: Metrics) {
  const labels = ["name"] as const;
  return {
    lists: metrics.counter("reflector_lists_total", "Whole states read, page by page or as initial events", labels),
    itemsPerList: metrics.histogram("reflector_items_per_list", "Objects in a whole state", labels, counts),
    listSeconds: metrics.histogram("reflector_list_duration_seconds", "Time to read a whole state", labels, seconds),
    watches: metrics.counter("reflector_watches_total", "Watches started", labels),
    itemsPerWatch: metrics.histogram(
      "reflector_items_per_watch",
      "Events in a watch, bookmarks included",
      labels,
      counts,
    ),
    watchSeconds: metrics.histogram("reflector_watch_duration_seconds", "How long a watch lasted", labels, seconds),
    failures: metrics.counter("reflector_failures_total", "Lists and watches that failed and were retried", labels),
    objects: metrics.gauge("reflector_objects", "Objects kept", labels),
  };
}
