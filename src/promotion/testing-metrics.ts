import { createMetrics, type Metrics } from "#base";

/** The metrics of integration-service, under its names. */
export interface TestingMetrics {
  /** A build finished so long before its first test started. */
  responded(seconds: number): void;
  /** A test run was created so long after its Snapshot. */
  started(seconds: number): void;
  runCreated(): void;
  /** The tests of a Snapshot have an outcome. */
  concluded(type: string, reason: string, seconds: number): void;
}

/** Those of integration-service. */
export const latencyBuckets = [0.5, 1, 2, 3, 4, 5, 6, 7, 10, 15, 30, 60, 120, 240, 300, 450, 600, 750, 900, 1050, 1200];
const attemptBuckets = [7, 15, 30, 60, 150, 300, 450, 600, 750, 900, 1050];

export function testingMetrics(metrics: Metrics = createMetrics()): TestingMetrics {
  const response = metrics.histogram(
    "integration_svc_response_seconds",
    "Time from the end of a build to the start of its Snapshot's tests.",
    [],
    latencyBuckets,
  );
  const start = metrics.histogram(
    "integration_svc_snapshot_created_to_pipelinerun_started_seconds",
    "Time from the creation of a Snapshot to that of a test run; re-runs do not count.",
    [],
    latencyBuckets,
  );
  const runs = metrics.counter("integration_svc_integration_pipelinerun_total", "Test runs that were created.", []);
  const attempts = metrics.counter(
    "integration_svc_snapshot_attempt_total",
    "Snapshots whose tests came to an end, by condition and reason.",
    ["type", "reason"],
  );
  const durations = metrics.histogram(
    "integration_svc_snapshot_attempt_duration_seconds",
    "Time from the creation of a Snapshot to the end of its tests.",
    ["type", "reason"],
    attemptBuckets,
  );
  return {
    responded: (seconds) => response.observe(seconds),
    started: (seconds) => start.observe(seconds),
    runCreated: () => runs.inc(),
    concluded(type, reason, seconds) {
      attempts.inc({ type, reason });
      durations.observe(seconds, { type, reason });
    },
  };
}
