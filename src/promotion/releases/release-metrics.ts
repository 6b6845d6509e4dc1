import { createMetrics, type Metrics } from "#base";
import type { KubeObject } from "#kube";
import { releaseConditions, snapshotConditions } from "../kinds/promotion-names.ts";
import { snapshotCondition } from "../snapshots/snapshot-condition.ts";
import { latencyBuckets } from "../testing-metrics.ts";
import { releaseStatus } from "./release-state.ts";

/** The metrics of release-service, under its names. */
export interface ReleaseMetrics {
  validated(release: KubeObject, reason: string, now: number): void;
  /** A phase started so long after its Release. */
  phaseStarted(release: KubeObject, phase: string, now: number): void;
  phaseEnded(release: KubeObject, phase: string, reason: string, startTime: string | undefined, now: number): void;
  /** Another attempt of a managed pipeline succeeded. */
  mitigated(release: KubeObject, reason: string): void;
  ended(release: KubeObject, now: number): void;
  /** The first Release of a Snapshot was created so long after its tests ended; integration-service has this one. */
  firstReleased(snapshot: KubeObject, now: number): void;
  /** A Release is deleted, in whatever state it is. */
  forgotten(release: KubeObject): void;
}

const buckets = [0.5, 1, 5, 15, 30, 60, 150, 300, 600, 1200, 1800, 3600, 7200, 14_400];

export function releaseMetrics(metrics: Metrics = createMetrics()): ReleaseMetrics {
  const concurrent = metrics.gauge("release_concurrent_total", "Releases that are not finished.", []);
  const processings = metrics.gauge("release_concurrent_processings_total", "Pipelines of Releases that run.", []);
  const phaseLabels = ["reason", "target", "type"] as const;
  const waiting = metrics.histogram(
    "release_pre_processing_duration_seconds",
    "Time from the creation of a Release to the start of a pipeline.",
    phaseLabels,
    buckets,
  );
  const validation = metrics.histogram(
    "release_validation_duration_seconds",
    "Time from the creation of a Release to the end of its validation.",
    ["reason", "target"],
    buckets,
  );
  const processing = metrics.histogram(
    "release_processing_duration_seconds",
    "Time that a pipeline of a Release took.",
    phaseLabels,
    buckets,
  );
  const duration = metrics.histogram(
    "release_duration_seconds",
    "Time from the start of a Release to its end.",
    ["reason", "target"],
    buckets,
  );
  const total = metrics.counter("release_total", "Releases that ended, by the reasons of their conditions.", [
    "final_pipeline_processing_reason",
    "managed_collectors_pipeline_processing_reason",
    "managed_pipeline_processing_reason",
    "release_reason",
    "target",
    "tenant_collectors_pipeline_processing_reason",
    "tenant_pipeline_processing_reason",
    "validation_reason",
  ]);
  const mitigations = metrics.counter(
    "release_mitigation_success_total",
    "Managed pipelines that succeeded with more memory or time.",
    ["reason", "target"],
  );
  const latency = metrics.histogram(
    "integration_svc_release_latency_seconds",
    "Time from the end of a Snapshot's tests to the creation of its first Release.",
    [],
    latencyBuckets,
  );
  const open = new Set<string>();
  const running = new Set<string>();
  function count(): void {
    concurrent.set(open.size);
    processings.set(running.size);
  }
  return {
    validated(release, reason, now) {
      open.add(uidOf(release));
      count();
      validation.observe(since(release.metadata.creationTimestamp, now), { reason, target: target(release) });
    },
    phaseStarted(release, type, now) {
      open.add(uidOf(release));
      running.add(`${uidOf(release)}/${type}`);
      count();
      const labels = { reason: "Progressing", target: target(release), type };
      waiting.observe(since(release.metadata.creationTimestamp, now), labels);
    },
    phaseEnded(release, type, reason, startTime, now) {
      running.delete(`${uidOf(release)}/${type}`);
      count();
      processing.observe(since(startTime, now), { reason, target: target(release), type });
    },
    mitigated: (release, reason) => mitigations.inc({ reason, target: target(release) }),
    ended(release, now) {
      open.delete(uidOf(release));
      count();
      const reasonOf = (type: string): string => snapshotCondition(release, type)?.reason ?? "";
      const reason = reasonOf(releaseConditions.released);
      const { startTime } = releaseStatus(release);
      duration.observe(since(typeof startTime === "string" ? startTime : undefined, now), {
        reason,
        target: target(release),
      });
      total.inc({
        final_pipeline_processing_reason: reasonOf(releaseConditions.final),
        managed_collectors_pipeline_processing_reason: reasonOf(releaseConditions.managedCollectors),
        managed_pipeline_processing_reason: reasonOf(releaseConditions.managed),
        release_reason: reason,
        target: target(release),
        tenant_collectors_pipeline_processing_reason: reasonOf(releaseConditions.tenantCollectors),
        tenant_pipeline_processing_reason: reasonOf(releaseConditions.tenant),
        validation_reason: reasonOf(releaseConditions.validated),
      });
    },
    firstReleased(snapshot, now) {
      latency.observe(since(snapshotCondition(snapshot, snapshotConditions.tests)?.lastTransitionTime, now));
    },
    forgotten(release) {
      open.delete(uidOf(release));
      for (const key of running) if (key.startsWith(`${uidOf(release)}/`)) running.delete(key);
      count();
    },
  };
}

function target(release: KubeObject): string {
  const value = releaseStatus(release)["target"];
  return typeof value === "string" ? value : (release.metadata.namespace ?? "");
}

/** In seconds; 0 if there is no such time. */
function since(from: string | undefined, now: number): number {
  return Math.max(0, (now - Date.parse(from ?? "")) / 1_000) || 0;
}

function uidOf({ metadata: { uid = "" } }: KubeObject): string {
  return uid;
}
