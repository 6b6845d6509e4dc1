import { createMetrics, type Metrics } from "#base";

export type RetagEnd = "created" | "moved" | "unchanged" | "superseded" | "failed";

/** The measurements of moved tags. */
export interface RetagMetrics {
  tagged(outcome: RetagEnd): void;
  /** The tags of a Release are as planned, or will never be. */
  ended(outcome: "succeeded" | "failed", afterMs: number): void;
}

const buckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

export function retagMetrics(metrics: Metrics = createMetrics()): RetagMetrics {
  const tags = metrics.counter(
    "promotion_retag_total",
    "What became of the tags of releases: created, moved, unchanged, superseded by a newer Snapshot, or failed.",
    ["outcome"],
  );
  const seconds = metrics.histogram(
    "promotion_retag_duration_seconds",
    "How long the tags of a Release took, from the start of the run to its end.",
    ["outcome"],
    buckets,
  );
  return {
    tagged: (outcome) => tags.inc({ outcome }),
    ended: (outcome, afterMs) => seconds.observe(afterMs / 1_000, { outcome }),
  };
}
