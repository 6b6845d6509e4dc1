import * as fc from "fast-check";
import { expect, test } from "vitest";
import { absentTag, describeTagMoveReason, planTagMove } from "./plan-tag-move.ts";

const [older, newer, target] = ["sha256:01", "sha256:02", "sha256:03"];

test.for([
  { facts: { current: undefined }, action: "create", reason: undefined, why: "there is no such tag" },
  { facts: { current: older }, action: "move", reason: undefined, why: "it has another digest" },
  { facts: { current: target }, action: "keep", reason: undefined, why: "it has the digest" },
  { facts: { current: target, expected: older }, action: "keep", reason: undefined, why: "another run was faster" },
  {
    facts: { current: newer, newer: new Set([newer]) },
    action: "refuse",
    reason: "Superseded",
    why: "a newer release",
  },
  { facts: { current: older, newer: new Set([newer]) }, action: "move", reason: undefined, why: "an older release" },
  { facts: { current: older, isImmutable: true }, action: "refuse", reason: "Immutable", why: "written once" },
  { facts: { current: undefined, isImmutable: true }, action: "create", reason: undefined, why: "not written yet" },
  { facts: { current: newer, expected: older }, action: "refuse", reason: "MovedMeanwhile", why: "not as expected" },
  {
    facts: { current: undefined, expected: older },
    action: "refuse",
    reason: "MovedMeanwhile",
    why: "deleted meanwhile",
  },
  {
    facts: { current: older, expected: absentTag },
    action: "refuse",
    reason: "MovedMeanwhile",
    why: "created meanwhile",
  },
  { facts: { current: undefined, expected: absentTag }, action: "create", reason: undefined, why: "as expected" },
])("a tag is $action $reason: $why", ({ facts, action, reason }) => {
  const move = planTagMove({ tag: "released", target, ...facts });
  expect(move).toMatchObject({ tag: "released", from: facts.current, to: target, action });
  expect(move.reason).toBe(reason);
  expect(describeTagMoveReason(move) === undefined).toBe(reason === undefined);
});

test("a tag that was just moved is kept by the next plan, whatever the guards", () => {
  const digest = fc.constantFrom(older, newer, target);
  fc.assert(
    fc.property(digest, fc.array(digest), fc.boolean(), fc.option(digest), (to, later, isImmutable, expected) => {
      const facts = { tag: "t", target: to, newer: new Set(later), isImmutable, expected: expected ?? undefined };
      expect(planTagMove({ ...facts, current: to }).action).toBe("keep");
    }),
  );
});
