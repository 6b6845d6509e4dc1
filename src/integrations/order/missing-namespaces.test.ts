import { expect, test } from "vitest";
import { planChanges } from "#inventory";
import { planNamespaces } from "./missing-namespaces.ts";
import { sampleInventory, planning } from "./sample-order.fixture.ts";

const plan = planChanges(
  sampleInventory({ wanted: ["c1/n1 a", "c1/n2 a", "c1/n2 b"], live: ["c1/n3 gone"] }),
  planning,
);

test("objects of a namespace that does not exist are held back, and the plan says how to go on", () => {
  const { actions, refusals } = planNamespaces(plan, new Set(["c1/n2"]), false);
  expect(actions.map(({ action, namespace, name }) => `${action} ${namespace} ${name}`)).toEqual([
    "delete n3 gone",
    "create n1 a",
  ]);
  const reason = "namespace n2 does not exist on c1";
  const next = "create it, or use --create-namespaces";
  expect(refusals).toMatchObject([
    { name: "a", reason, next, isError: true },
    { name: "b", reason, next, isError: true },
  ]);
});

test("a namespace that does not exist is created once and first, if asked for", () => {
  const { actions, refusals, id } = planNamespaces(plan, new Set(["c1/n2"]), true);
  expect(refusals).toEqual([]);
  expect(actions.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    "Namespace n2",
    "Deployment gone",
    "Deployment a",
    "Deployment a",
    "Deployment b",
  ]);
  expect(id).not.toBe(plan.id);
});
