import { createMetrics, type Metrics } from "#base";
import type { EndReason } from "../kinds/ephemeral-claim.ts";

/** The measurements of ephemeral environments. */
export interface EnvironmentMetrics {
  /** An environment can be used, so many milliseconds after it was its claim's turn. */
  ready(afterMs: number): void;
  ended(reason: EndReason): void;
  /** An environment without a claim was removed. */
  swept(): void;
}

const buckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function environmentMetrics(metrics: Metrics = createMetrics()): EnvironmentMetrics {
  const seconds = metrics.histogram(
    "promotion_environment_ready_seconds",
    "From a claim's turn to an environment that can be used.",
    [],
    buckets,
  );
  const ended = metrics.counter(
    "promotion_environments_ended_total",
    "Environments that ended, and why: Deleted, Expired, OwnerEnded, ClassRevoked, Refused or Lost.",
    ["reason"],
  );
  const swept = metrics.counter(
    "promotion_environments_swept_total",
    "Environments that were removed because their claim did not exist any more.",
    [],
  );
  return {
    ready: (afterMs) => seconds.observe(afterMs / 1_000),
    ended: (reason) => ended.inc({ reason }),
    swept: () => swept.inc(),
  };
}
