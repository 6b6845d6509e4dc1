import { expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { rolloutsOf } from "./find-rollouts.ts";

const [mine, other] = [`sha256:${"1".repeat(64)}`, `sha256:${"2".repeat(64)}`];

function pods(...images: readonly string[]) {
  return { spec: { containers: images.map((image, index) => ({ name: `c${index}`, image })) } };
}

function workload(kind: string, spec: object, status: object = {}): KubeObject {
  const apiVersion = kind === "CronJob" ? "batch/v1" : "apps/v1";
  return { apiVersion, kind, metadata: { name: "web", namespace: "shop", generation: 1 }, spec, status };
}

const available = {
  observedGeneration: 1,
  replicas: 1,
  updatedReplicas: 1,
  readyReplicas: 1,
  availableReplicas: 1,
  conditions: [
    { type: "Available", status: "True", reason: "MinimumReplicasAvailable", lastUpdateTime: "2026-01-02T03:00:00Z" },
    { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable", lastUpdateTime: "2026-01-02T03:04:05Z" },
  ],
};

test("a Deployment that names the digest and is available runs it, since its rollout ended", () => {
  const deployment = workload(
    "Deployment",
    { replicas: 1, template: pods(`quay.io/acme/web:released@${mine}`) },
    available,
  );
  expect(rolloutsOf([deployment], new Set([mine]))).toEqual([
    { object: "Deployment shop/web", digest: mine, state: "Running", since: "2026-01-02T03:04:05Z" },
  ]);
});

test("a Deployment whose pods are not ready rolls the digest out", () => {
  const status = { ...available, readyReplicas: 0, availableReplicas: 0 };
  const deployment = workload("Deployment", { replicas: 1, template: pods(`web@${mine}`) }, status);
  expect(rolloutsOf([deployment], new Set([mine]))).toMatchObject([
    { state: "RollingOut", message: expect.stringContaining("ready") },
  ]);
});

test("the digest is found in the template of a CronJob's Jobs, and workloads with other digests are left out", () => {
  const jobs = workload("CronJob", { jobTemplate: { spec: { template: pods(`web@${mine}`) } } });
  const old = workload("Deployment", { replicas: 1, template: pods(`web@${other}`, "busybox:1") }, available);
  expect(rolloutsOf([jobs, old], new Set([mine])).map(({ object }) => object)).toEqual(["CronJob shop/web"]);
});
