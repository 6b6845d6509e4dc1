import { createMetrics, type Metrics } from "#base";

export interface IntakeMetrics {
  /** `seconds` since the end of the build. */
  snapshotCreated(type: "component" | "group", seconds: number): void;
  buildRefused(): void;
  snapshotInvalid(): void;
  snapshotsDeleted(count: number): void;
}

const buckets = [0.5, 1, 2, 3, 4, 5, 6, 7, 10, 15, 30, 60, 120, 240, 300, 450, 600, 750, 900, 1050, 1200];

export function intakeMetrics(metrics: Metrics = createMetrics()): IntakeMetrics {
  const created = metrics.histogram(
    "promotion_build_to_snapshot_seconds",
    "Time from the end of a build to its Snapshot.",
    ["type"],
    buckets,
  );
  const refused = metrics.counter(
    "promotion_builds_refused_total",
    "Builds that did not become a Snapshot; the annotation of the run says why.",
    [],
  );
  const invalid = metrics.counter("promotion_snapshots_invalid_total", "Snapshots found invalid.", []);
  const deleted = metrics.counter("promotion_snapshots_deleted_total", "Snapshots deleted as no longer needed.", []);
  return {
    snapshotCreated: (type, seconds) => created.observe(Math.max(0, seconds), { type }),
    buildRefused: () => refused.inc(),
    snapshotInvalid: () => invalid.inc(),
    snapshotsDeleted: (count) => deleted.add(count),
  };
}
