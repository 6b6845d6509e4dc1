import { describe, expect, test } from "vitest";
import { promotionAnnotations, promotionLabels, snapshotConditions } from "../kinds/promotion-names.ts";
import { candidatesOf, findDeadlock, findWarnings } from "./judge-snapshot.ts";

const image = `reg.local:5000/acme/web@sha256:${"1".repeat(64)}`;
const application = (policy?: string) => ({
  apiVersion: "v1",
  kind: "Application",
  metadata: {
    name: "shop",
    annotations: policy === undefined ? {} : { [promotionAnnotations.promotionPolicy]: policy },
  },
});

function snapshot(component: string, tests: "True" | "False" | undefined, type = "component", labels = {}) {
  return {
    apiVersion: "v1",
    kind: "Snapshot",
    metadata: {
      name: "s",
      labels: { [promotionLabels.snapshotType]: type, [promotionLabels.component]: component, ...labels },
      annotations: { [promotionAnnotations.buildStarted]: "100000" },
    },
    spec: { application: "shop", components: [{ name: component, containerImage: image }] },
    status: { conditions: tests ? [{ type: snapshotConditions.tests, status: tests }] : [] },
  };
}

describe("which candidates a Snapshot brings", () => {
  test.each([
    { reason: "its build was entered with it", object: snapshot("web", "True"), policy: undefined, count: 0 },
    {
      reason: "its build was declared",
      object: snapshot("web", undefined, "component", { [promotionLabels.declaredBuild]: "x" }),
      policy: undefined,
      count: 1,
    },
    { reason: "its tests passed", object: snapshot("web", "True"), policy: "AfterTests", count: 1 },
    { reason: "its tests failed", object: snapshot("web", "False"), policy: "AfterTests", count: 0 },
    { reason: "its tests run", object: snapshot("web", undefined), policy: "AfterTests", count: 0 },
    { reason: "it is an override", object: snapshot("web", undefined, "override"), policy: "AfterTests", count: 1 },
    { reason: "it is a group", object: snapshot("web", "True", "group"), policy: "AfterTests", count: 0 },
  ])("$count with policy $policy, because $reason", ({ object, policy, count }) => {
    expect(candidatesOf(object, application(policy)).size).toBe(count);
  });
});

test("an override without a git source is valid, with a warning", () => {
  expect(findWarnings(snapshot("web", undefined, "override"))).toEqual([
    "web has no git source with a url and a revision",
  ]);
});

const component = (name: string, promoted: number) => ({
  apiVersion: "v1",
  kind: "Component",
  metadata: { name, annotations: { [promotionAnnotations.lastBuildTime]: String(promoted) } },
});

test("two components whose newest builds failed block each other; one does not", () => {
  const failed = [snapshot("web", "False"), snapshot("api", "False")];
  expect(findDeadlock(failed, [component("web", 1), component("api", 1)])).toEqual(["api", "web"]);
  expect(findDeadlock(failed, [component("web", 1), component("api", 100)])).toEqual([]);
  expect(
    findDeadlock([snapshot("web", "False"), snapshot("api", "True")], [component("web", 1), component("api", 1)]),
  ).toEqual([]);
});
