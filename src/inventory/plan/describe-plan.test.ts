import { expect, test } from "vitest";
import { findDifferences } from "../compare/find-changes.ts";
import type { ExactMap } from "../object/exact.ts";
import { describePlan, groupRefusals, showChanges } from "./describe-plan.ts";
import type { Plan, PlanRefusal } from "./plan.ts";

function paths(current: ExactMap, desired: ExactMap): string[] {
  return showChanges("Deployment", findDifferences(desired, current), { current, desired }).map(({ path }) => path);
}

test.for<{ reason: string; current: ExactMap; desired: ExactMap; expected: string }>([
  {
    reason: "containers and variables have names",
    current: { containers: [{ name: "tool", env: [{ name: "SHARDS", value: "2" }] }] },
    desired: { containers: [{ name: "tool", env: [{ name: "SHARDS", value: "3" }] }] },
    expected: "containers[tool].env[SHARDS].value",
  },
  {
    reason: "a new item is named as well",
    current: { env: [{ name: "A", value: "1" }] },
    desired: {
      env: [
        { name: "A", value: "1" },
        { name: "B", value: "2" },
      ],
    },
    expected: "env[B]",
  },
  {
    reason: "mounts are known by their paths",
    current: { volumeMounts: [{ mountPath: "/state", name: "a" }] },
    desired: { volumeMounts: [{ mountPath: "/state", name: "b" }] },
    expected: "volumeMounts[/state].name",
  },
  {
    reason: "ports are known by number and protocol",
    current: { ports: [{ containerPort: 8080, name: "a" }] },
    desired: { ports: [{ containerPort: 8080, name: "b" }] },
    expected: "ports[8080/TCP].name",
  },
  {
    reason: "a name of digits is quoted, because it is not a place",
    current: { env: [{ name: "0", value: "1" }] },
    desired: { env: [{ name: "0", value: "2" }] },
    expected: 'env["0"].value',
  },
  {
    reason: "items with one name are named by their places",
    current: {
      env: [
        { name: "A", value: "1" },
        { name: "A", value: "2" },
      ],
    },
    desired: {
      env: [
        { name: "A", value: "1" },
        { name: "A", value: "3" },
      ],
    },
    expected: "env[1].value",
  },
  {
    reason: "items without a name are named by their places",
    current: { secrets: [{ key: "a" }] },
    desired: { secrets: [{ key: "b" }] },
    expected: "secrets[0].key",
  },
  {
    reason: "Kubernetes does not merge arguments",
    current: { args: ["a"] },
    desired: { args: ["b"] },
    expected: "args[0]",
  },
])("a diff names $expected, because $reason", ({ current, desired, expected }) => {
  expect(paths(current, desired)).toEqual([expected]);
});

test("a diff names a removed variable by the name that it has on the cluster", () => {
  const current = {
    env: [
      { name: "A", value: "1" },
      { name: "GONE", value: "2" },
    ],
  };
  const desired = {
    env: [
      { name: "A", value: "1" },
      { name: "B", value: "2" },
    ],
  };
  const changes = [{ path: ["env", 1], before: current.env[1], after: undefined }];
  expect(showChanges("Deployment", changes, { current, desired })).toMatchObject([{ path: "env[GONE]" }]);
});

function refusal(name: string, more: Partial<PlanRefusal> = {}): PlanRefusal {
  return {
    action: "delete",
    cluster: "c1",
    namespace: "tools",
    apiVersion: "apps/v1",
    kind: "Deployment",
    name,
    reason: "would delete 3 of 4 objects; the limit is 50 %",
    next: "confirm",
    isError: true,
    ...more,
  };
}

test("what caused an error is below it", () => {
  const plan: Plan = {
    version: 1,
    id: "x",
    integration: "manager",
    integrationVersion: "0.1.0",
    actions: [],
    refusals: [],
    errors: [{ cluster: "c1", what: "cannot be used\n  caused by: refused", next: "start it" }],
    unchanged: 0,
  };
  expect(describePlan(plan)).toBe(`
errors
  ! c1: cannot be used
      caused by: refused
      next: start it

1 error
`);
});

test("refusals for the same reason are one line, with the objects they are about", () => {
  const refusals = [
    refusal("a"),
    refusal("b"),
    refusal("a", { kind: "Service" }),
    refusal("own", { reason: "belongs to x", action: "update" }),
  ];
  const plan: Plan = {
    version: 1,
    id: "x",
    integration: "manager",
    integrationVersion: "0.1.0",
    actions: [],
    refusals,
    errors: [],
    unchanged: 1,
  };
  expect(describePlan(plan)).toBe(`
held back
  ! delete 3 objects: would delete 3 of 4 objects; the limit is 50 %
      c1/tools Deployment a, b
      c1/tools Service a
      next: confirm
  ! update c1/tools Deployment own: belongs to x
      next: confirm

1 unchanged, 4 held back
`);
});

test("of many objects that are held back, the first are named and the others counted", () => {
  const [group] = groupRefusals(Array.from({ length: 13 }, (_, index) => refusal(`s-${index}`)));
  expect(group?.objects).toEqual(["c1/tools Deployment s-0, s-1, s-2, s-3, s-4, s-5, s-6, s-7, s-8, s-9 and 3 more"]);
});
