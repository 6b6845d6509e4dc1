import { createMetrics, type Metrics } from "#base";

export type ProposalEnd = "updated" | "merged" | "closed" | "declined" | "manual" | "committed" | "failed";

/** The measurements of one stage's proposals. */
export interface PropagationMetrics {
  /** A pull request was opened, so many milliseconds after the digests were first seen. */
  opened(afterMs: number): void;
  ended(outcome: ProposalEnd): void;
}

const buckets = [1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600];

export function propagationMetrics(metrics: Metrics = createMetrics()): (forge: string) => PropagationMetrics {
  const outcomes = metrics.counter(
    "promotion_propagation_pr_total",
    "What became of proposals: opened, updated, merged, closed by Tenon, declined, manual, committed to the base, or failed.",
    ["forge", "outcome"],
  );
  const seconds = metrics.histogram(
    "promotion_commit_to_pr_seconds",
    "From the first sight of a digest that a stage should have to its open pull request.",
    [],
    buckets,
  );
  return (forge) => ({
    opened(afterMs) {
      outcomes.inc({ forge, outcome: "opened" });
      seconds.observe(afterMs / 1_000);
    },
    ended: (outcome) => outcomes.inc({ forge, outcome }),
  });
}
