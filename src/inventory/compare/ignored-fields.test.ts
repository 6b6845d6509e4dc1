import { expect, test } from "vitest";
import { findIgnored, type IgnoredDifference, parseJsonPointer } from "./ignored-fields.ts";
import { annotation } from "../object/attribution.ts";
import { ManagedObject } from "../object/managed-object.ts";

function deployment(annotations: Record<string, string> = {}): ManagedObject {
  const body = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "shop-eu", annotations } };
  return new ManagedObject({ body, integration: "i", integrationVersion: "0.1.0", skipValidation: true });
}

const target = { cluster: "prod-1", namespace: "shop" };

test.each<{ reason: string; rule: IgnoredDifference; isSelected: boolean }>([
  { reason: "without selectors", rule: {}, isSelected: true },
  { reason: "by kind", rule: { kind: "Deployment" }, isSelected: true },
  { reason: "by another kind", rule: { kind: "StatefulSet" }, isSelected: false },
  { reason: "by kind and name", rule: { kind: "Deployment", name: "shop-eu" }, isSelected: true },
  { reason: "by a part of the name", rule: { name: "shop-*" }, isSelected: true },
  { reason: "by several parts of the name", rule: { name: "*h*-*" }, isSelected: true },
  { reason: "by parts that would overlap", rule: { name: "shop-eu*u" }, isSelected: false },
  { reason: "by another end of the name", rule: { name: "*-us" }, isSelected: false },
  { reason: "by group", rule: { group: "apps" }, isSelected: true },
  { reason: "by the group of the core", rule: { group: "" }, isSelected: false },
  { reason: "by namespace", rule: { namespace: "shop" }, isSelected: true },
  { reason: "by another namespace", rule: { kind: "Deployment", namespace: "shop-2" }, isSelected: false },
  { reason: "by cluster", rule: { cluster: "prod-*" }, isSelected: true },
  { reason: "by another cluster", rule: { cluster: "stage-*" }, isSelected: false },
])("a rule selects objects $reason", ({ rule, isSelected }) => {
  const found = findIgnored([{ ...rule, paths: ["/spec/replicas"] }])(target, deployment(), deployment());
  expect(found?.paths).toEqual(isSelected ? [["spec", "replicas"]] : undefined);
});

test("several rules and an annotation add up", () => {
  const find = findIgnored([{ paths: ["/a"] }, { managers: ["flagger"] }]);
  const found = find(target, deployment({ [annotation.ignoreDifferences]: "/b, kubectl\n/c/0" }), deployment());
  expect(found).toEqual({ paths: [["a"], ["b"], ["c", "0"]], managers: new Set(["flagger", "kubectl"]) });
});

test("an annotation that is desired counts in place of the one on the live object", () => {
  const [one, other] = ["/one", "/other"].map((path) => deployment({ [annotation.ignoreDifferences]: path }));
  const find = findIgnored();
  expect(find(target, one ?? deployment(), other ?? deployment())?.paths).toEqual([["one"]]);
  expect(find(target, deployment(), other ?? deployment())?.paths).toEqual([["other"]]);
  expect(find(target, deployment(), deployment())).toBeUndefined();
});

test.each([
  { text: "/spec/replicas", path: ["spec", "replicas"] },
  { text: "/metadata/annotations/example.dev~1note", path: ["metadata", "annotations", "example.dev/note"] },
  { text: "/data/a~01", path: ["data", "a~1"] },
  { text: "spec.replicas", path: undefined },
  { text: "", path: undefined },
  { text: "/", path: undefined },
  { text: "/spec/", path: undefined },
  { text: "/a~2", path: undefined },
])("the JSON pointer $text", ({ text, path }) => {
  expect(parseJsonPointer(text)).toEqual(path);
});
