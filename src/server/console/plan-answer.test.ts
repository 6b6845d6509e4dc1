import { expect, test } from "vitest";
import { type Action, type Plan, planId } from "#inventory";
import { fingerprintOf } from "./plan-answer.ts";

const update: Action = {
  cluster: "c1",
  namespace: "shop",
  apiVersion: "apps/v1",
  kind: "Deployment",
  name: "web",
  action: "update",
  reason: "changed",
  diff: [{ path: "spec.replicas", before: "1", after: "2" }],
  expected: { uid: "u1", resourceVersion: "7", generation: 3 },
  body: { spec: { replicas: 2 } },
};

function planOf(action: Action): Plan {
  const plan = { version: 1, integration: "i", integrationVersion: "1", actions: [action], refusals: [], errors: [] };
  const whole = { ...plan, version: 1, unchanged: 0 } as const;
  return { ...whole, id: planId(whole) };
}

const fingerprint = (changes: Partial<Action> = {}) => fingerprintOf(planOf({ ...update, ...changes }));

test("a report of a controller makes another plan, with the same fingerprint", () => {
  const reported = { expected: { uid: "u1", resourceVersion: "8", generation: 3 } };
  expect(planOf({ ...update, ...reported }).id).not.toBe(planOf(update).id);
  expect(fingerprint(reported)).toBe(fingerprint());
});

test.each([
  { changes: { expected: { uid: "u1", resourceVersion: "8", generation: 4 } }, reason: "someone changed the object" },
  { changes: { expected: { uid: "u2", resourceVersion: "7", generation: 3 } }, reason: "it was made again" },
  { changes: { expected: { uid: "u1", resourceVersion: "8" } }, reason: "its kind counts no changes" },
  { changes: { body: { spec: { replicas: 3 } } }, reason: "something else would be sent" },
  { changes: { name: "api" }, reason: "it is another object" },
  { changes: { action: "replace" as const }, reason: "it would be deleted before" },
])("the fingerprint of a plan is another one if $reason", ({ changes }) => {
  expect(fingerprint(changes)).not.toBe(fingerprint());
});
