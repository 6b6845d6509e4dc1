import { type Counter, createMetrics, type Histogram, type Metrics } from "#base";
import type { Side, Stage } from "../kinds/names.ts";

export interface CouplingMetrics {
  stage(stage: Stage, side: Side, seconds: number): void;
  failed(kind: "Plug" | "Socket"): void;
  abandoned(): void;
}

const buckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function couplingMetrics(metrics: Metrics = createMetrics()): CouplingMetrics {
  const stages: Histogram<"stage" | "side"> = metrics.histogram(
    "integration_stage_duration_seconds",
    "How long a side's half of a stage took.",
    ["stage", "side"],
    buckets,
  );
  const failures: Counter<"kind"> = metrics.counter(
    "integration_failures_total",
    "Attempts to bring a Plug or a Socket to its wanted state that failed.",
    ["kind"],
  );
  const abandoned: Counter<never> = metrics.counter(
    "integration_decouplings_abandoned_total",
    "Decouplings that failed for so long that they were given up.",
    [],
  );
  return {
    stage: (stage, side, seconds) => stages.observe(seconds, { stage, side }),
    failed: (kind) => failures.inc({ kind }),
    abandoned: () => abandoned.inc(),
  };
}
