import { describe, expect, test } from "vitest";
import type { JsonObject } from "#base";
import { type Action, parsePlan, type Plan, planId, serialisePlan } from "#inventory";
import { guardSelf, isOwn } from "./guard-self.ts";

const address = { cluster: "c1", namespace: "n1", apiVersion: "apps/v1", kind: "Deployment", name: "manager" };

function action(more: Partial<Action>): Action {
  return { ...address, action: "update", reason: "it differs", diff: [], attribution: "integrations-manager", ...more };
}

function planOf(...actions: Action[]): Plan {
  const plan = {
    version: 1 as const,
    integration: "integrations-manager",
    integrationVersion: "0.1.0",
    actions,
    refusals: [],
    errors: [],
    unchanged: 0,
  };
  return { ...plan, id: planId(plan) };
}

const body = (spec: JsonObject): JsonObject => ({ ...address, spec });

describe("the manager does not cut the branch it sits on", () => {
  test.each([
    { reason: "deleting itself", write: action({ action: "delete" }), why: "delete itself" },
    { reason: "replacing itself", write: action({ action: "replace" }), why: "delete itself, to be created again" },
    { reason: "no replicas", write: action({ body: body({ replicas: 0 }) }), why: "scale itself to zero" },
    {
      reason: "suspending itself",
      write: action({ kind: "CronJob", body: body({ suspend: true }) }),
      why: "suspend itself",
    },
    {
      reason: "deleting the workload that runs us, whatever it is called",
      write: action({ action: "delete", attribution: "other" }),
      own: { namespace: "n1", kind: "Deployment", name: "manager" },
      why: "delete itself",
    },
  ])("refuses $reason, until that is confirmed", ({ write, own, why }) => {
    const other = action({ name: "x", action: "delete", attribution: "x" });
    const plan = planOf(write, other);
    const guarded = guardSelf(plan, own, false);
    expect(guarded.actions).toEqual([other]);
    expect(guarded.refusals).toMatchObject([{ reason: expect.stringContaining(why), isError: true }]);
    expect(parsePlan(serialisePlan(guarded), "plan.json"), "it is still a plan that can be saved").toMatchObject({
      id: guarded.id,
    });
    expect(guardSelf(plan, own, true)).toBe(plan);
  });

  test.each([
    { reason: "an update", write: action({ body: body({ replicas: 1 }) }) },
    {
      reason: "making it for the first time, disabled",
      write: action({ action: "create", body: body({ replicas: 0 }) }),
    },
    { reason: "the deletion of another workload", write: action({ action: "delete", attribution: "x", name: "x" }) },
    {
      reason: "something of the same name elsewhere",
      write: action({ action: "delete", attribution: "x", namespace: "n2" }),
    },
  ])("allows $reason", ({ write }) => {
    const plan = planOf(write);
    expect(guardSelf(plan, { namespace: "n1", kind: "Deployment", name: "manager" }, false)).toBe(plan);
  });

  test("what is ours is known by attribution or by the pod that runs us", () => {
    expect(isOwn(action({}), undefined)).toBe(true);
    expect(isOwn(action({ attribution: "x" }), undefined)).toBe(false);
  });
});
