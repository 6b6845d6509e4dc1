import { expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { Propagation } from "../kinds/propagation.ts";
import { environmentsOf, knownDigests } from "./environments-of.ts";
import type { LiveRollout } from "./find-rollouts.ts";

const digestOf = (digit: string) => `sha256:${digit.repeat(64)}`;
const [older, newer] = [digestOf("1"), digestOf("2")];
const image = "quay.io/acme/web:released";
const record = (digest: string, since: string) => ({ digests: { [image]: digest }, since });
const deployment = (name: string, digest: string, state: LiveRollout["state"] = "Running"): LiveRollout => ({
  object: `Deployment ${name}`,
  digest,
  state,
  since: "2026-01-02T03:30:00Z",
});

function propagation(stages: readonly object[], health: readonly object[] = []): KubeObject {
  const stage = { repository: "https://git.example/gitops", branch: "main", forge: { kind: "gitea" } };
  return {
    apiVersion: Propagation.apiVersion,
    kind: Propagation.kind,
    metadata: { name: "shop", namespace: "shop" },
    spec: {
      source: { images: [{ repository: "quay.io/acme/web", tag: "released" }] },
      stages: [
        { name: "stage", ...stage, ...(health.length > 0 ? { health } : {}) },
        { name: "production", ...stage, after: { stage: "stage" } },
      ],
    },
    status: { advertised: record(newer, "2026-01-02T03:00:00Z"), stages: [...stages] },
  };
}

const settled = [
  {
    name: "stage",
    state: "UpToDate",
    since: "2026-01-02T03:10:00Z",
    merged: record(newer, "2026-01-02T03:10:00Z"),
    history: [record(older, "2026-01-01T00:00:00Z")],
    proposals: [],
  },
  {
    name: "production",
    state: "Waiting",
    since: "2026-01-02T03:10:00Z",
    merged: record(older, "2026-01-01T00:00:00Z"),
    proposals: [],
  },
];

test("a stage runs what its workloads have, which may be older than what is merged", () => {
  const rows = environmentsOf(propagation(settled), [deployment("shop-stage/web", older)]);
  expect(rows).toMatchObject([
    {
      environment: "stage",
      component: "web",
      released: newer,
      merged: newer,
      running: older,
      runningSince: "2026-01-02T03:30:00Z",
      where: ["Deployment shop-stage/web"],
    },
    { environment: "production", state: "Waiting", merged: older, running: older },
  ]);
});

test("a stage with health objects runs what these say, and names no other workload", () => {
  const health = [{ apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: "shop-stage" }];
  const [first] = environmentsOf(propagation(settled, health), [
    deployment("shop-production/web", older),
    deployment("shop-stage/web", newer),
  ]);
  expect(first).toMatchObject({ running: newer, where: ["Deployment shop-stage/web"] });
});

test("a workload that is still rolling out does not run its digest", () => {
  const [first] = environmentsOf(propagation(settled), [deployment("shop-stage/web", newer, "RollingOut")]);
  expect(first).toMatchObject({ merged: newer, where: [] });
  expect(first).not.toHaveProperty("running");
});

test("a Propagation that was not looked at has rows without digests", () => {
  const { status: _, ...fresh } = propagation([]);
  expect(environmentsOf(fresh, [])).toMatchObject([
    { state: "New", where: [] },
    { state: "New", where: [] },
  ]);
});

test("the digests that were merged before are known, so that what still runs is found", () => {
  expect(knownDigests(Propagation.parse(propagation(settled)))).toEqual(new Set([newer, older]));
});
