import { createMetrics, type Metrics } from "#base";
import { latencyBuckets } from "../testing-metrics.ts";

export interface IntakeMetrics {
  /** `seconds` since the end of the build. */
  snapshotCreated(type: "component" | "group", seconds: number): void;
  buildRefused(): void;
  snapshotInvalid(): void;
  snapshotsDeleted(count: number): void;
}

export function intakeMetrics(metrics: Metrics = createMetrics()): IntakeMetrics {
  const created = metrics.histogram(
    "promotion_build_to_snapshot_seconds",
    "Time from the end of a build to its Snapshot.",
    ["type"],
    latencyBuckets,
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
