import { expect, test } from "vitest";
import { describePlan } from "./describe-plan.ts";
import { planChanges } from "./plan-changes.ts";
import { parsePlan, serialisePlan } from "./serialise-plan.ts";
import { asFound, toyOptions } from "./toy-inventory.fixture.ts";
import { ManagedObject } from "../object/managed-object.ts";
import { ResourceInventory } from "../resource-inventory.ts";

function bodyOf(name: string, app: string) {
  const spec = { selector: { matchLabels: { app } } };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec };
}

/** Eight Deployments, of which so many have another selector. */
function planReplacing(count: number, more: Partial<typeof toyOptions> = {}) {
  const inventory = new ResourceInventory();
  inventory.initialize("c1", "n1", "Deployment");
  for (let index = 0; index < 8; index += 1) {
    const name = `a-${index}`;
    const body = bodyOf(name, "b");
    const value = new ManagedObject({ body, integration: "manager", integrationVersion: "0.1.0" });
    inventory.addDesired({ cluster: "c1", namespace: "n1", kind: "Deployment", name, value });
    const found = value.withBody(bodyOf(name, index < count ? "a" : "b")).annotate(new Date(0));
    inventory.addCurrent("c1", "n1", "Deployment", name, asFound(found));
  }
  return planChanges(inventory, { ...toyOptions, ...more });
}

test("a few replacements are made, and the sum of the plan counts them", () => {
  const made = planReplacing(2);
  const reason = "changed; replaced, because spec.selector.matchLabels.app cannot be changed";
  expect(made.actions).toMatchObject([
    { action: "replace", name: "a-0", reason },
    { action: "replace", name: "a-1", reason },
  ]);
  expect(describePlan(made)).toMatch(/\n {2}-\/\+ Deployment a-1: [^]*\n2 to replace, 6 unchanged\n$/);
  expect(parsePlan(serialisePlan(made), "file")).toEqual(made);
});

test("many replacements wait for a confirmation, as deletions do", () => {
  const held = {
    action: "replace",
    reason: "would replace 5 of 8 objects; the limit is 50 %",
    next: "if this is intended, confirm the deletions",
  };
  expect(planReplacing(5)).toMatchObject({ actions: [], refusals: [held, held, held, held, held] });
  const { refusals } = planReplacing(4, { deletions: { count: 3 } });
  expect(refusals[0]?.reason).toBe("would replace 4 objects; the limit is 3");
  expect(planReplacing(5, { deletionsConfirmed: true }).actions).toHaveLength(5);
});
