import { type Counter, createMetrics, type Gauge, type Histogram, type Metrics } from "#base";
import type { Side, Stage } from "./kinds/index.ts";

export interface CouplingMetrics {
  stage(stage: Stage, side: Side, seconds: number): void;
  failed(kind: "Plug" | "Socket"): void;
  abandoned(): void;
}

const stageBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function couplingMetrics(metrics: Metrics = createMetrics()): CouplingMetrics {
  const stages: Histogram<"stage" | "side"> = metrics.histogram(
    "integration_stage_duration_seconds",
    "Duration of one side's half of a stage.",
    ["stage", "side"],
    stageBuckets,
  );
  const failures: Counter<"kind"> = metrics.counter(
    "integration_failures_total",
    "Failed attempts to reconcile a Plug or a Socket.",
    ["kind"],
  );
  const abandoned: Counter<never> = metrics.counter(
    "integration_decouplings_abandoned_total",
    "Decouplings that were given up after failing for too long.",
    [],
  );
  return {
    stage: (stage, side, seconds) => stages.observe(seconds, { stage, side }),
    failed: (kind) => failures.inc({ kind }),
    abandoned: () => abandoned.inc(),
  };
}

/** How many objects there are in each state; every replica that watches counts them. */
export type StateGauge = Gauge<"state" | "reason">;

export function stateMetrics(metrics: Metrics = createMetrics()): {
  readonly plugs: StateGauge;
  readonly sockets: StateGauge;
} {
  const labels = ["state", "reason"] as const;
  return {
    plugs: metrics.gauge("tenon_plugs", "Plugs by their state and the reason of their condition Coupled.", labels),
    sockets: metrics.gauge(
      "tenon_sockets",
      "Sockets by their state and the reason of their condition Coupled.",
      labels,
    ),
  };
}

export interface ApparatusMetrics {
  /** `code` is a status, `timeout` or `error`. */
  answered(event: Stage | "config", code: string): void;
  took(event: Stage | "config", seconds: number): void;
  started(): void;
  stopped(): void;
}

const callBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export function apparatusMetrics(metrics: Metrics = createMetrics()): ApparatusMetrics {
  const calls = metrics.counter(
    "integration_apparatus_calls_total",
    "Requests to apparatuses; the code is the HTTP status, or timeout or error if there was no answer.",
    ["event", "code"],
  );
  const seconds = metrics.histogram(
    "integration_apparatus_call_duration_seconds",
    "Duration of a request to an apparatus.",
    ["event"],
    callBuckets,
  );
  const starts = metrics.counter("integration_apparatus_starts_total", "Apparatus pods that were started.", []);
  const stops = metrics.counter(
    "integration_apparatus_stops_total",
    "Apparatus pods that were stopped because they were idle.",
    [],
  );
  return {
    answered: (event, code) => calls.inc({ event, code }),
    took: (event, duration) => seconds.observe(duration, { event }),
    started: () => starts.inc(),
    stopped: () => stops.inc(),
  };
}
