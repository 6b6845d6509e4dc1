import { describe, expect, test } from "vitest";
import { z } from "zod";
import { toCustomResourceDefinition } from "./custom-resource-definition.ts";
import { defineKind } from "./define-kind.ts";
import { readLiveDefinition } from "./live-definition.ts";
import { planInstall } from "./plan-install.ts";

const desired = toCustomResourceDefinition(
  defineKind({
    group: "example.dev",
    version: "v1",
    kind: "Thing",
    scope: "Namespaced",
    description: "A thing.",
    spec: z.object({ a: z.enum(["x", "y"]) }),
  }),
);

/** As the server has it: with what it fills in. */
function live({ spec = {}, status = {}, annotations = desired.metadata.annotations } = {}) {
  return readLiveDefinition({
    ...desired,
    metadata: { ...desired.metadata, resourceVersion: "1", annotations: { ...annotations, other: "x" } },
    spec: { ...desired.spec, conversion: { strategy: "None" }, ...spec },
    status: { conditions: null, storedVersions: ["v1"], ...status },
  });
}

describe("planInstall", () => {
  test("installs a definition that does not exist", () => {
    expect(planInstall(desired, undefined)).toBe("install");
  });

  test("leaves a definition that differs only in fields that the server or others added", () => {
    expect(planInstall(desired, live())).toBe("leave");
  });

  test.each([
    { reason: "an earlier definition, even if nothing is missing", change: { annotations: {} } },
    { reason: "a field that was changed", change: { spec: { names: { ...desired.spec.names, singular: "x" } } } },
    {
      reason: "a list that was extended",
      change: { spec: { versions: [...desired.spec.versions, { name: "v2", served: true, storage: false }] } },
    },
    { reason: "a field that was removed", change: { spec: { group: undefined } } },
  ])("upgrades $reason", ({ change }) => {
    expect(planInstall(desired, live(change))).toBe("upgrade");
  });

  test.each([
    {
      reason: "another scope",
      change: { spec: { scope: "Cluster" } },
      says: /scope cannot change from Cluster to Namespaced; /,
    },
    {
      reason: "another kind",
      change: { spec: { names: { kind: "Other" } } },
      says: /expected kind Thing, but the existing definition has kind Other; /,
    },
    {
      reason: "a stored version that is gone",
      change: { status: { storedVersions: ["v1alpha1", "v1"] } },
      says: /stored as v1alpha1, .*; keep v1alpha1/,
    },
  ])("refuses $reason", ({ change, says }) => {
    expect(() => planInstall(desired, live(change))).toThrow(says);
  });
});
