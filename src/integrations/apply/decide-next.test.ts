import { describe, expect, test } from "vitest";
import type { Action, ActionOutcome, Prerequisite } from "#inventory";
import { type ApplyState, decideNext } from "./decide-next.ts";
import { prerequisiteKey, type TargetHealth } from "./target-health.ts";

const minute = 60_000;
const there: Prerequisite = { cluster: "c2", namespace: "n2", attribution: "a" };

function action(kind: Action["action"], place: string, more: Partial<Action> = {}): Action {
  const [cluster = "", namespace = ""] = place.split("/");
  const address = { cluster, namespace, apiVersion: "apps/v1", kind: "Deployment", name: "a", attribution: "a" };
  return { ...address, action: kind, reason: "new", diff: [], ...more };
}

const creation = action("create", "c2/n2");
const deletion = action("delete", "c1/n1", { waitsFor: [there] });

interface Given {
  readonly outcome?: Pick<ActionOutcome, "state" | "reason">;
  readonly health?: TargetHealth;
  readonly more?: Partial<ApplyState>;
}

function decide({ outcome, health, more = {} }: Given) {
  const { ready, waiting, held } = decideNext({
    actions: [deletion, creation],
    outcomes: new Map(outcome ? [[creation, outcome]] : []),
    health: new Map(health ? [[prerequisiteKey(there), health]] : []),
    wasHealthy: new Set(),
    now: 100 * minute,
    startedAt: undefined,
    healthyWithinMs: 10 * minute,
    isDryRun: false,
    ...more,
  });
  return {
    ready: ready.map((each) => each.action),
    waiting: [...waiting.values()].map(({ why }) => why),
    held: [...held.values()].map(({ why }) => why),
  };
}

const done = { state: "done" } as const;

describe("what is carried out next", () => {
  test.each([
    {
      reason: "first what waits for nothing",
      given: {},
      ready: ["create"],
      waiting: ["Deployment a is not applied yet"],
    },
    {
      reason: "nothing before the health is known",
      given: { outcome: done },
      waiting: ["its health is not known yet"],
    },
    {
      reason: "nothing while the destination is not healthy",
      given: { outcome: done, health: { is: "pending", missing: "0 of 1 replicas are ready", changedAt: 95 * minute } },
      waiting: ["0 of 1 replicas are ready"],
    },
    {
      reason: "the deletion when the destination is healthy",
      given: { outcome: done, health: { is: "healthy", since: undefined } },
      ready: ["delete"],
    },
    {
      reason: "everything in a dry run, in its order",
      given: { outcome: { state: "planned" }, more: { isDryRun: true } },
      ready: ["delete"],
    },
  ] satisfies { reason: string; given: Given; ready?: string[]; waiting?: string[] }[])(
    "$reason",
    ({ given, ready = [], waiting = [] }) => {
      expect(decide(given)).toEqual({ ready, waiting, held: [] });
    },
  );

  test.each([
    {
      reason: "the destination could not be written",
      given: { outcome: { state: "failed", reason: "exceeded quota" } },
      held: "create of Deployment a failed: exceeded quota",
    },
    {
      reason: "the destination was not tried",
      given: { outcome: { state: "skipped", reason: "waits for b" } },
      held: "create of Deployment a was not done: waits for b",
    },
    {
      reason: "the destination will not become healthy by itself",
      given: { outcome: done, health: { is: "failed", why: "Deployment a: deadline exceeded" } },
      held: "Deployment a: deadline exceeded",
    },
    {
      reason: "the destination did not become healthy in time after it was changed",
      given: { outcome: done, health: { is: "pending", missing: "0 of 1 replicas are ready", changedAt: 88 * minute } },
      held: "0 of 1 replicas are ready, after 12m",
    },
  ] satisfies { reason: string; given: Given; held: string }[])(
    "the source is kept when $reason",
    ({ given, held }) => {
      expect(decide(given)).toEqual({ ready: [], waiting: [], held: [held] });
    },
  );

  test("a run that waits by itself gives what changed long ago its time again", () => {
    const health = { is: "pending", missing: "0 of 1 replicas are ready", changedAt: 0 } as const;
    expect(decide({ outcome: done, health, more: { startedAt: 95 * minute } }).waiting).toHaveLength(1);
    expect(decide({ outcome: done, health, more: { startedAt: 89 * minute } }).held).toHaveLength(1);
  });
});

describe("a soak", () => {
  const canary: Prerequisite = { cluster: "c1", namespace: "n", attribution: "a", soakMs: 5 * minute };
  const elsewhere = action("update", "c2/n2", { waitsFor: [canary] });

  function soaking(health: TargetHealth, wasHealthy = false) {
    const key = prerequisiteKey(canary);
    const { ready, waiting, held } = decideNext({
      actions: [elsewhere],
      outcomes: new Map(),
      health: new Map([[key, health]]),
      wasHealthy: new Set(wasHealthy ? [key] : []),
      now: 100 * minute,
      startedAt: undefined,
      healthyWithinMs: 10 * minute,
      isDryRun: false,
    });
    const [wait, hold] = [[...waiting.values()][0], [...held.values()][0]];
    return { isReady: ready.length > 0, leftMs: wait?.leftMs, why: (wait ?? hold)?.why, isHeld: hold !== undefined };
  }

  test("counts from when the canary became healthy", () => {
    expect(soaking({ is: "healthy", since: 97 * minute })).toEqual({
      isReady: false,
      leftMs: 2 * minute,
      why: "healthy, and to stay so for 5m; 2m are left",
      isHeld: false,
    });
    expect(soaking({ is: "healthy", since: 95 * minute })).toMatchObject({ isReady: true });
  });

  test("stops the rollout at once when the canary turns unhealthy", () => {
    const health = {
      is: "pending",
      missing: "Deployment a: 0 of 1 replicas are ready",
      changedAt: 99 * minute,
    } as const;
    expect(soaking(health)).toMatchObject({ isReady: false, isHeld: false });
    expect(soaking(health, true)).toMatchObject({
      isReady: false,
      isHeld: true,
      why: "it turned unhealthy: Deployment a: 0 of 1 replicas are ready",
    });
  });
});
