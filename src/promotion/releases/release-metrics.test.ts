import { describe, expect, test } from "vitest";
import { createMetrics } from "#base";
import type { KubeObject } from "#kube";
import { Release } from "../kinds/release.ts";
import { Snapshot } from "../kinds/snapshot.ts";
import { releaseMetrics } from "./release-metrics.ts";

const created = "2026-01-02T03:00:00Z";
const started = "2026-01-02T03:00:10Z";
const at = (seconds: number): number => Date.parse(created) + seconds * 1_000;

function releaseWith(uid: string, status: object = {}, creationTimestamp = created): KubeObject {
  const { apiVersion, kind } = Release;
  return { apiVersion, kind, metadata: { namespace: "shop", name: uid, uid, creationTimestamp }, status };
}

function measure() {
  const metrics = createMetrics();
  return {
    releases: releaseMetrics(metrics),
    /** The series whose names begin so, without their buckets. */
    series: async (prefix: string): Promise<string[]> => {
      const { body } = await metrics.expose();
      return body.split("\n").filter((line) => line.startsWith(prefix) && !line.includes("_bucket{"));
    },
  };
}

describe("releases that are not finished, and their pipelines that run", () => {
  test("are counted once each, until they end or are deleted", async () => {
    const { releases, series } = measure();
    const [one, other] = [releaseWith("1"), releaseWith("11")];
    const counted = async () => (await series("release_concurrent")).map((line) => Number(line.split(" ")[1]));
    for (const release of [one, other, one]) releases.validated(release, "Succeeded", at(1));
    expect(await counted()).toEqual([2, 0]);
    for (const release of [one, one, other]) releases.phaseStarted(release, "tenant", at(2));
    expect(await counted()).toEqual([2, 2]);
    releases.phaseEnded(one, "tenant", "Succeeded", started, at(20));
    releases.phaseStarted(one, "managed", at(20));
    expect(await counted()).toEqual([2, 2]);
    releases.forgotten(one);
    expect(await counted()).toEqual([1, 1]);
    releases.phaseEnded(other, "tenant", "Failed", started, at(20));
    releases.ended(other, at(21));
    releases.ended(other, at(21));
    expect(await counted()).toEqual([0, 0]);
  });

  test("a pipeline that started before a restart of Tenon does not count below zero when it ends", async () => {
    const { releases, series } = measure();
    releases.phaseEnded(releaseWith("1"), "tenant", "Succeeded", started, at(20));
    releases.ended(releaseWith("1"), at(20));
    releases.forgotten(releaseWith("1"));
    expect(await series("release_concurrent")).toEqual([
      "release_concurrent_total 0",
      "release_concurrent_processings_total 0",
    ]);
  });
});

describe("durations of releases are in seconds", () => {
  const target = { target: "managed" };
  test.for([
    {
      reason: "validation, from the creation",
      act: ({ releases }: ReturnType<typeof measure>) => releases.validated(releaseWith("1", target), "Failed", at(3)),
      name: "release_validation_duration_seconds",
      labels: 'reason="Failed",target="managed"',
      seconds: 3,
    },
    {
      reason: "the start of a pipeline, from the creation",
      act: ({ releases }: ReturnType<typeof measure>) =>
        releases.phaseStarted(releaseWith("1", target), "final", at(7)),
      name: "release_pre_processing_duration_seconds",
      labels: 'reason="Progressing",target="managed",type="final"',
      seconds: 7,
    },
    {
      reason: "a pipeline, from its start",
      act: ({ releases }: ReturnType<typeof measure>) =>
        releases.phaseEnded(releaseWith("1", target), "managed", "Succeeded", started, at(42.5)),
      name: "release_processing_duration_seconds",
      labels: 'reason="Succeeded",target="managed",type="managed"',
      seconds: 32.5,
    },
    {
      reason: "the whole, from its start",
      act: ({ releases }: ReturnType<typeof measure>) =>
        releases.ended(
          releaseWith("1", { ...target, startTime: started, conditions: [{ type: "Released", reason: "Succeeded" }] }),
          at(70),
        ),
      name: "release_duration_seconds",
      labels: 'reason="Succeeded",target="managed"',
      seconds: 60,
    },
    {
      reason: "a pipeline of which no start is known took none",
      act: ({ releases }: ReturnType<typeof measure>) =>
        releases.phaseEnded(releaseWith("1", target), "tenant", "Failed", undefined, at(70)),
      name: "release_processing_duration_seconds",
      labels: 'reason="Failed",target="managed",type="tenant"',
      seconds: 0,
    },
    {
      reason: "a clock that is behind that of the API server gives none below zero",
      act: ({ releases }: ReturnType<typeof measure>) => releases.validated(releaseWith("1", target), "Failed", at(-5)),
      name: "release_validation_duration_seconds",
      labels: 'reason="Failed",target="managed"',
      seconds: 0,
    },
    {
      reason: "a Release that has no target yet has that of its namespace",
      act: ({ releases }: ReturnType<typeof measure>) => releases.validated(releaseWith("1"), "Succeeded", at(3)),
      name: "release_validation_duration_seconds",
      labels: 'reason="Succeeded",target="shop"',
      seconds: 3,
    },
  ])("$reason: $seconds", async ({ act, name, labels, seconds }) => {
    const measured = measure();
    act(measured);
    expect(await measured.series(name)).toEqual([`${name}_sum{${labels}} ${seconds}`, `${name}_count{${labels}} 1`]);
  });
});

describe("releases that ended are counted", () => {
  test("by the reason of each condition, and by none where there is no condition", async () => {
    const { releases, series } = measure();
    const reasons = {
      Validated: "Succeeded",
      TenantCollectorsPipelineProcessed: "Skipped",
      ManagedCollectorsPipelineProcessed: "Skipped",
      TenantPipelineProcessed: "Succeeded",
      ManagedPipelineProcessed: "Failed",
      Released: "Failed",
    };
    const conditions = Object.entries(reasons).map(([type, reason]) => ({ type, reason }));
    releases.ended(releaseWith("1", { target: "managed", conditions }), at(1));
    releases.ended(releaseWith("2", { target: "managed", conditions }), at(1));
    const labels = [
      'final_pipeline_processing_reason=""',
      'managed_collectors_pipeline_processing_reason="Skipped"',
      'managed_pipeline_processing_reason="Failed"',
      'release_reason="Failed"',
      'target="managed"',
      'tenant_collectors_pipeline_processing_reason="Skipped"',
      'tenant_pipeline_processing_reason="Succeeded"',
      'validation_reason="Succeeded"',
    ];
    expect(await series("release_total")).toEqual([`release_total{${labels.join(",")}} 2`]);
  });

  test("P37: and so are those that succeeded with more memory or time, by what they lacked", async () => {
    const { releases, series } = measure();
    releases.mitigated(releaseWith("1", { target: "managed" }), "OOMKill");
    expect(await series("release_mitigation_success_total")).toEqual([
      'release_mitigation_success_total{reason="OOMKill",target="managed"} 1',
    ]);
  });
});

test("the first Release of a Snapshot is measured from the end of its tests", async () => {
  const { releases, series } = measure();
  const conditions = [{ type: "AppStudioTestSucceeded", status: "True", lastTransitionTime: started }];
  const metadata = { namespace: "shop", name: "s1" };
  releases.firstReleased(
    { apiVersion: Snapshot.apiVersion, kind: Snapshot.kind, metadata, status: { conditions } },
    at(12),
  );
  expect(await series("integration_svc_release_latency_seconds")).toEqual([
    "integration_svc_release_latency_seconds_sum 2",
    "integration_svc_release_latency_seconds_count 1",
  ]);
});
