import { expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { judgeHealth } from "./judge-health.ts";

const digest = `sha256:${"1".repeat(64)}`;
const [commit, other] = ["a".repeat(40), "b".repeat(40)];
const merged = { digests: { "reg.local/acme/web:released": digest }, since: "2026-01-01T00:00:00Z" };

function object(apiVersion: string, kind: string, parts: Readonly<Record<string, unknown>>): KubeObject {
  return { apiVersion, kind, metadata: { name: "shop", namespace: "a", generation: 2 }, ...parts };
}
const application = (status: object) => object("argoproj.io/v1alpha1", "Application", { status });
const kustomization = (status: object) => object("kustomize.toolkit.fluxcd.io/v1", "Kustomization", { status });
const deployment = (image: string, readyReplicas: number) =>
  object("apps/v1", "Deployment", {
    spec: { replicas: 1, template: { spec: { containers: [{ name: "web", image }] } } },
    status: { observedGeneration: 2, replicas: 1, updatedReplicas: 1, readyReplicas },
  });
const helmRelease = (image: object) =>
  object("helm.toolkit.fluxcd.io/v2", "HelmRelease", {
    spec: { values: { image } },
    // The revision is that of the chart, and says nothing about the values.
    status: { observedGeneration: 2, conditions: ready, lastAttemptedRevision: "1.2.3" },
  });
const synced = { health: { status: "Healthy" }, sync: { status: "Synced", revision: commit } };
const ready = [{ type: "Ready", status: "True", reason: "Succeeded", message: "" }];

test.each([
  { reason: "Argo CD synced the commit", given: application(synced), state: "Healthy" },
  {
    reason: "Argo CD has an older commit",
    given: application({ ...synced, sync: { ...synced.sync, revision: other } }),
    state: "Progressing",
  },
  {
    reason: "Argo CD is out of sync",
    given: application({ ...synced, sync: { status: "OutOfSync" } }),
    state: "Progressing",
  },
  { reason: "Argo CD says Degraded", given: application({ ...synced, health: { status: "Degraded" } }), state: "Red" },
  {
    reason: "a sync of Argo CD failed",
    given: application({ ...synced, operationState: { phase: "Failed" } }),
    state: "Red",
  },
  {
    reason: "Argo CD lists the digest, whatever its commit",
    given: application({
      ...synced,
      sync: { status: "Synced", revision: other },
      summary: { images: [`reg.local/acme/web:released@${digest}`] },
    }),
    state: "Healthy",
  },
  {
    reason: "Flux applied the commit",
    given: kustomization({ observedGeneration: 2, conditions: ready, lastAppliedRevision: `main@sha1:${commit}` }),
    state: "Healthy",
  },
  {
    reason: "Flux has an older commit",
    given: kustomization({ conditions: ready, lastAppliedRevision: `main@sha1:${other}` }),
    state: "Progressing",
  },
  {
    reason: "Flux failed",
    given: kustomization({ conditions: [{ type: "Ready", status: "False", reason: "HealthCheckFailed" }] }),
    state: "Red",
  },
  {
    reason: "its controller has not seen the change",
    given: kustomization({ observedGeneration: 1, conditions: ready }),
    state: "Progressing",
  },
  {
    reason: "it is stalled",
    given: kustomization({ conditions: [{ type: "Stalled", status: "True", message: "no" }] }),
    state: "Red",
  },
  {
    reason: "a HelmRelease has the digest in its values",
    given: helmRelease({ repository: "reg.local/acme/web", tag: `released@${digest}` }),
    state: "Healthy",
  },
  {
    reason: "a HelmRelease is ready with the values from before the merge",
    given: helmRelease({ repository: "reg.local/acme/web", tag: "released" }),
    state: "Progressing",
  },
  {
    reason: "a HelmRelease whose values have the registry apart is ready with those from before the merge",
    given: helmRelease({ registry: "reg.local", repository: "acme/web", tag: "released" }),
    state: "Progressing",
  },
  { reason: "a Deployment runs the digest", given: deployment(`reg.local/acme/web@${digest}`, 1), state: "Healthy" },
  {
    reason: "a Deployment runs another digest",
    given: deployment("reg.local/acme/web:released", 1),
    state: "Progressing",
  },
  { reason: "a Deployment is not ready", given: deployment(`reg.local/acme/web@${digest}`, 0), state: "Progressing" },
  { reason: "an object without a status is believed", given: object("v1", "ConfigMap", {}), state: "Healthy" },
] as const)("judgeHealth: $reason", ({ given, state }) => {
  expect(judgeHealth(given, { merged, commits: [commit] }).state).toBe(state);
});
