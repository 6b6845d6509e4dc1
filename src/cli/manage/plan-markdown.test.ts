import { expect, test } from "vitest";
import type { Action, Plan } from "#inventory";
import { planMarkdown } from "./plan-markdown.ts";

function action(name: string, more: Partial<Action> = {}): Action {
  return {
    action: "update",
    cluster: "c1",
    namespace: "tools",
    apiVersion: "apps/v1",
    kind: "Deployment",
    name,
    reason: "changed",
    diff: [{ path: "spec.replicas", before: "1", after: "2" }],
    attribution: name,
    ...more,
  };
}

function plan(actions: readonly Action[], more: Partial<Plan> = {}): Plan {
  const identity = { integration: "integrations-manager", integrationVersion: "0.1.0" };
  return { version: 1, id: "x", ...identity, actions, refusals: [], errors: [], unchanged: 3, ...more };
}

test("a plan in Markdown has a summary per integration, and details below", () => {
  const text = planMarkdown(plan([action("a"), action("b", { action: "delete", diff: [] })]));
  expect(text).toMatch(/^### 1 to update, 1 to delete, 3 unchanged\n/);
  expect(text).toContain("| a | c1/tools | 1 to update |\n| b | c1/tools | 1 to delete |\n");
  expect(text).toContain("```diff\nc1/tools\n!  Deployment a: changed\n!      spec.replicas: 1 -> 2\n-  Deployment b");
});

test("a replacement in Markdown is one of its own kind, in a colour of its own", () => {
  const text = planMarkdown(plan([action("a", { action: "replace" })]));
  expect(text).toMatch(/^### 1 to replace, 3 unchanged\n/);
  expect(text).toContain("| a | c1/tools | 1 to replace |\n");
  expect(text).toContain("\n!  Deployment a: changed\n");
});

test("a plan without changes in Markdown has no tables", () => {
  expect(planMarkdown(plan([]))).toBe("### 3 unchanged\n");
});

test("errors come first in Markdown, with what to do", () => {
  const errors = [{ what: "data/a.yml:3:1: unknown strategy", next: "choose another" }];
  expect(planMarkdown(plan([action("a")], { errors }))).toMatch(
    /problem \| next step \|\n.*\n\| data\/a\.yml:3:1: unknown strategy \| choose another \|\n[^]*\| integration/,
  );
});

test("no value of a plan can close its code block in Markdown", () => {
  const text = planMarkdown(plan([action("a", { diff: [{ path: "x", after: '"````\\n</details>"' }] })]));
  const [, fence = ""] = /\n(`+)diff\n/.exec(text) ?? [];
  expect(fence).toHaveLength(5);
  expect(text.split(fence)).toHaveLength(3);
});

test("a long plan is cut to the size of a comment, and says so", () => {
  const text = planMarkdown(plan(Array.from({ length: 5_000 }, (_, index) => action(`integration-${index}`))));
  expect(text.length).toBeLessThan(65_536);
  expect(text).toContain("The rest is left out");
});
