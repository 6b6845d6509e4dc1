import { expect, test } from "vitest";
import type { ConsoleAction, ConsolePlan } from "./plan-api.ts";
import { ReadPlans } from "./read-plans.ts";

function action(index: number, change: ConsoleAction["action"] = "create"): ConsoleAction {
  const diff = [{ path: "spec.replicas", after: String(index) }];
  return {
    cluster: "c1",
    namespace: "shop",
    kind: "CronJob",
    name: `a-${index}`,
    action: change,
    reason: "new",
    diff,
    waitsFor: [],
  };
}

function planOf(id: string, count: number): ConsolePlan {
  const actions = Array.from({ length: count }, (_, index) => action(index, index === 7 ? "delete" : "create"));
  return {
    id,
    fingerprint: id,
    data: "data",
    summary: "",
    actions,
    total: count,
    counts: {},
    refusals: [],
    errors: [],
    warnings: [],
    integrations: [],
    canApply: true,
  };
}

const reader = () => {
  const ending = new AbortController();
  return { ended: ending.signal, end: () => ending.abort() };
};
const whole = { offset: 0, limit: 500 };

test("a plan that fits on a page is shown whole, and not kept", () => {
  const [plans, ann] = [new ReadPlans(), reader()];
  expect(plans.firstPage(ann, planOf("p", 500)).actions).toHaveLength(500);
  expect(() => plans.changes(ann, { plan: "p", ...whole })).toThrow("not the plan that you read last");
});

test("the pages of a larger one are those of the plan that was read, each change once, and a filter looks at all of them", () => {
  const [plans, ann] = [new ReadPlans(), reader()];
  expect(plans.firstPage(ann, planOf("p", 1_201)).actions).toHaveLength(500);
  const pages = [0, 500, 1_000].map((offset) => plans.changes(ann, { plan: "p", offset, limit: 500 }));
  expect(pages.map(({ actions, total }) => [actions.length, total])).toEqual([
    [500, 1_201],
    [500, 1_201],
    [201, 1_201],
  ]);
  expect(new Set(pages.flatMap(({ actions }) => actions.map(({ name }) => name))).size).toBe(1_201);
  const named = (query: object) =>
    plans.changes(ann, { plan: "p", ...whole, ...query }).actions.map(({ name }) => name);
  expect(named({ change: "delete" })).toEqual(["a-7"]);
  expect(named({ search: "SPEC.REPLICAS 1200" })).toEqual(["a-1200"]);
  expect(named({ search: "c1/shop\ncronjob A-1200" })).toEqual(["a-1200"]);
});

test("a plan is of its reader alone, until the next one, and for the last eight readers", () => {
  const [plans, ann, ben] = [new ReadPlans(), reader(), reader()];
  plans.firstPage(ann, planOf("p", 501));
  expect(() => plans.changes(ben, { plan: "p", ...whole })).toThrow("not the plan");
  plans.firstPage(ann, planOf("q", 501));
  expect(() => plans.changes(ann, { plan: "p", ...whole })).toThrow("not the plan");
  expect(plans.changes(ann, { plan: "q", ...whole }).total).toBe(501);
  const others = Array.from({ length: 8 }, reader);
  for (const each of others) plans.firstPage(each, planOf("r", 501));
  expect(() => plans.changes(ann, { plan: "q", ...whole })).toThrow("not the plan");
  others[0]?.end();
  plans.firstPage(ben, planOf("s", 501));
  for (const each of others.slice(1)) expect(plans.changes(each, { plan: "r", ...whole }).total).toBe(501);
});
