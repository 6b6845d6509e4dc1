import { describe, expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { judgeWorkloads } from "./target-health.ts";

const labels = { app: "a" };

function deployment(ready: number, times: { readonly updated: string; readonly available?: string }): KubeObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "a", generation: 1, annotations: { "qontract.update": times.updated } },
    spec: { replicas: 1, selector: { matchLabels: labels } },
    status: {
      observedGeneration: 1,
      replicas: 1,
      updatedReplicas: 1,
      readyReplicas: ready,
      conditions: [{ type: "Available", status: "True", lastTransitionTime: times.available }],
    },
  };
}

function pod(app: string, readyAt: string): KubeObject {
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime: readyAt }];
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "p", labels: { app } }, status: { conditions } };
}

const found = (object: KubeObject | undefined) => [{ kind: "Deployment", name: "a", object }];
const at = (time: string): string => `2026-01-01T${time}Z`;

describe("since when an integration is healthy is read from its objects", () => {
  test.each([
    {
      reason: "from the change, if nothing is later",
      object: deployment(1, { updated: at("10:00:00"), available: at("09:00:00") }),
      pods: [],
      since: at("10:00:00"),
    },
    {
      reason: "from when it became available",
      object: deployment(1, { updated: at("10:00:00"), available: at("10:03:00") }),
      pods: [],
      since: at("10:03:00"),
    },
    {
      reason: "from when the last of its pods became ready, and not the pods of others",
      object: deployment(1, { updated: at("10:00:00"), available: at("10:03:00") }),
      pods: [pod("a", at("10:20:00")), pod("b", at("11:00:00"))],
      since: at("10:20:00"),
    },
  ])("$reason", ({ object, pods, since }) => {
    expect(judgeWorkloads(found(object), pods)).toEqual({ is: "healthy", since: Date.parse(since) });
  });

  test("what is not ready, or not there, says what is missing and since when", () => {
    const times = { updated: at("10:00:00") };
    expect(judgeWorkloads(found(deployment(0, times)), [])).toEqual({
      is: "pending",
      missing: "Deployment a: 0 of 1 replicas are ready",
      changedAt: Date.parse(at("10:00:00")),
    });
    expect(judgeWorkloads(found(undefined), [])).toMatchObject({
      is: "pending",
      missing: "Deployment a does not exist",
    });
  });

  test("one that has failed counts more than one that is not ready yet", () => {
    const stuck = deployment(0, { updated: at("10:00:00") });
    const conditions = [
      { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message: "too slow" },
    ];
    const broken = { ...stuck, status: { ...Object(stuck["status"]), conditions } };
    const both = [...found(stuck), { kind: "Deployment", name: "b", object: broken }];
    expect(judgeWorkloads(both, [])).toMatchObject({ is: "failed", why: expect.stringContaining("Deployment b: ") });
  });

  test("what has no workloads is healthy", () => {
    expect(judgeWorkloads([], [])).toEqual({ is: "healthy", since: undefined });
  });
});
