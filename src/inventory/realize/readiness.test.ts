import { expect, test } from "vitest";
import { readinessOf, takesTime } from "./readiness.ts";

function workload(spec: object, status: object, generation = 2) {
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a", generation }, spec, status };
}

const done = { observedGeneration: 2, replicas: 2, updatedReplicas: 2, readyReplicas: 2 };

test.each([
  { reason: "all replicas are updated, there and ready", object: workload({ replicas: 2 }, done), is: "ready" },
  { reason: "no replicas are desired", object: workload({ replicas: 0 }, { observedGeneration: 2 }), is: "ready" },
  { reason: "the report is about what was before", object: workload({ replicas: 2 }, done, 3), is: "pending" },
  { reason: "an old pod is still there", object: workload({ replicas: 2 }, { ...done, replicas: 3 }), is: "pending" },
  { reason: "a pod is not ready", object: workload({ replicas: 2 }, { ...done, readyReplicas: 1 }), is: "pending" },
  {
    reason: "the rollout has given up",
    object: workload(
      { replicas: 2 },
      {
        ...done,
        readyReplicas: 1,
        conditions: [{ type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message: "too late" }],
      },
    ),
    is: "failed",
  },
  {
    reason: "a StatefulSet has updated all pods that its partition allows",
    object: workload(
      { replicas: 2, updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } } },
      { ...done, updatedReplicas: 1 },
    ),
    is: "ready",
  },
  {
    reason: "a StatefulSet has not updated all pods that its partition allows",
    object: workload(
      { replicas: 2, updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } } },
      { ...done, updatedReplicas: 0 },
    ),
    is: "pending",
  },
  {
    reason: "a StatefulSet leaves its old pods until people delete them",
    object: workload({ replicas: 2, updateStrategy: { type: "OnDelete" } }, { ...done, updatedReplicas: 0 }),
    is: "ready",
  },
  {
    reason: "a StatefulSet whose old pods stay has a pod that is not ready",
    object: workload({ replicas: 2, updateStrategy: { type: "OnDelete" } }, { ...done, readyReplicas: 1 }),
    is: "pending",
  },
  {
    reason: "a DaemonSet leaves its old pods until people delete them",
    object: {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: "a", generation: 2 },
      spec: { updateStrategy: { type: "OnDelete" } },
      status: { observedGeneration: 2, desiredNumberScheduled: 3, updatedNumberScheduled: 1, numberReady: 3 },
    },
    is: "ready",
  },
  {
    reason: "a DaemonSet has replaced only some of its pods",
    object: {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: "a", generation: 2 },
      status: { observedGeneration: 2, desiredNumberScheduled: 3, updatedNumberScheduled: 1, numberReady: 3 },
    },
    is: "pending",
  },
  {
    reason: "a DaemonSet has a new pod on each node",
    object: {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: "a", generation: 2 },
      status: { observedGeneration: 2, desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberReady: 3 },
    },
    is: "ready",
  },
  {
    reason: "a Job has succeeded",
    object: { apiVersion: "batch/v1", kind: "Job", metadata: { name: "a" }, status: { succeeded: 1 } },
    is: "ready",
  },
  {
    reason: "a Job has failed",
    object: {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "a" },
      status: { conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded", message: "m" }] },
    },
    is: "failed",
  },
  {
    reason: "a Subscription waits for its upgrade",
    object: { apiVersion: "v1", kind: "Subscription", metadata: { name: "a" }, status: { state: "UpgradePending" } },
    is: "pending",
  },
  {
    reason: "a ClowdApp has all its deployments",
    object: {
      apiVersion: "v1",
      kind: "ClowdApp",
      metadata: { name: "a" },
      status: { deployments: { managedDeployments: 2, readyDeployments: 2 } },
    },
    is: "ready",
  },
  {
    reason: "a ClowdJobInvocation runs",
    object: { apiVersion: "v1", kind: "ClowdJobInvocation", metadata: { name: "a" }, status: {} },
    is: "pending",
  },
  {
    reason: "a kind that is ready when it is there",
    object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
    is: "ready",
  },
])("D-50: an applied object is ready by the rules of its kind: $reason: $is", ({ object, is }) => {
  expect(readinessOf(object).is).toBe(is);
});

test("only kinds that can be judged are waited for", () => {
  expect(["Deployment", "ConfigMap"].map(takesTime)).toEqual([true, false]);
});
