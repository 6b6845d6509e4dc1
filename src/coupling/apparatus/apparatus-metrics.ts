import { createMetrics, type Metrics } from "#base";
import type { Stage } from "../kinds/names.ts";

export interface ApparatusMetrics {
  /** `code` is a status, `timeout` or `error`. */
  answered(event: Stage | "config", code: string): void;
  took(event: Stage | "config", seconds: number): void;
  started(): void;
  stopped(): void;
}

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export function apparatusMetrics(metrics: Metrics = createMetrics()): ApparatusMetrics {
  const calls = metrics.counter(
    "integration_apparatus_calls_total",
    "Requests to apparatuses; the code is a status, or timeout or error where there was no answer.",
    ["event", "code"],
  );
  const seconds = metrics.histogram(
    "integration_apparatus_call_duration_seconds",
    "How long a request to an apparatus took.",
    ["event"],
    buckets,
  );
  const starts = metrics.counter("integration_apparatus_starts_total", "Apparatus pods that were started.", []);
  const stops = metrics.counter(
    "integration_apparatus_stops_total",
    "Apparatus pods that were stopped because nobody called them.",
    [],
  );
  return {
    answered: (event, code) => calls.inc({ event, code }),
    took: (event, duration) => seconds.observe(duration, { event }),
    started: () => starts.inc(),
    stopped: () => stops.inc(),
  };
}
