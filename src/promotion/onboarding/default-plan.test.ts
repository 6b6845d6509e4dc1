import { describe, expect, test } from "vitest";
import { packageFile } from "#base";
import { isKubeObject, type KubeObject } from "#kube";
import { loadChart, renderChart } from "#template";
import { authorLabelOf } from "../policies/requester.ts";
import { decideDefaultPlan } from "./default-plan.ts";

const chart = loadChart(packageFile("charts", "tenant"));

function render(values: object): readonly KubeObject[] {
  const { manifests } = renderChart(chart, { values: { ...values }, release: { name: "tenant", namespace: "shop" } });
  return manifests.flatMap(({ object }) => (isKubeObject(object) ? [object] : []));
}

function applicationOf(name: string): KubeObject {
  return { apiVersion: "appstudio.redhat.com/v1alpha1", kind: "Application", metadata: { name, namespace: "shop" } };
}

function namespaceWith(annotations: Readonly<Record<string, string>>): KubeObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", annotations } };
}

describe("the plan that a namespace asks for", () => {
  test.for([
    { reason: "a short name", application: "web", releasePlan: {} },
    { reason: "the longest name that is kept", application: "a".repeat(54), releasePlan: {} },
    { reason: "a name that is cut", application: "a".repeat(55), releasePlan: {} },
    { reason: "settings", application: "web", releasePlan: { tags: ["validated"], autoRelease: false } },
    { reason: "Tekton", application: "web", releasePlan: { pipeline: "tekton", gracePeriodDays: 3 } },
  ])("is the one that the chart makes for an Application: $reason", ({ application, releasePlan }) => {
    const values = { releasePlan: { ...releasePlan, author: "alice" }, namespace: { create: true } };
    const namespace = render(values).find(({ kind }) => kind === "Namespace");
    const plan = render({ ...values, application: { name: application } }).find(({ kind }) => kind === "ReleasePlan");
    expect(decideDefaultPlan(applicationOf(application), namespace)).toEqual({ kind: "plan", plan });
    expect(plan?.metadata.name.length).toBeLessThanOrEqual(63);
  });

  test("is none without the annotation, or without the namespace", () => {
    expect(decideDefaultPlan(applicationOf("web"), namespaceWith({}))).toEqual({ kind: "none" });
    expect(decideDefaultPlan(applicationOf("web"), undefined)).toEqual({ kind: "none" });
  });

  test.for([
    { reason: "no JSON", plan: "released", author: "alice", message: "expected JSON such as" },
    { reason: "a list", plan: "[]", author: "alice", message: "expected JSON such as" },
    { reason: "a field that means nothing", plan: '{"spec":{},"tag":"x"}', author: "alice", message: "expected JSON" },
    {
      reason: "too long",
      plan: `{"spec":{"a":"${"b".repeat(20_000)}"}}`,
      author: "alice",
      message: "of at most 16384",
    },
    { reason: "no author", plan: '{"spec":{}}', author: "", message: "no one answers" },
  ])("is refused with what to change: $reason", ({ plan, author, message }) => {
    const namespace = namespaceWith({
      "tenon.dev/default-release-plan": plan,
      "tenon.dev/default-release-plan-author": author,
    });
    expect(decideDefaultPlan(applicationOf("web"), namespace)).toEqual({
      kind: "refused",
      message: expect.stringContaining(message),
    });
  });
});

test.for([
  { user: "alice", label: "alice" },
  { user: "a:b@c.d", label: "a_b.c.d" },
  { user: "system:serviceaccount:shop:robot", label: "system_serviceaccount_shop_robot" },
  { user: "one@two@three-", label: "one.two@three" },
  { user: "x".repeat(70), label: "x".repeat(63) },
])("$user is $label as the author of a release", ({ user, label }) => {
  expect(authorLabelOf(user)).toBe(label);
});
