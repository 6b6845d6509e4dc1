import { describe, expect, test } from "vitest";
import { formatFieldPath } from "#base";
import { findRemovals } from "./find-removals.ts";
import { annotation } from "../object/attribution.ts";
import type { Exact, ExactMap } from "../object/exact.ts";

interface Holder {
  readonly manager?: string;
  readonly operation?: string;
  readonly fields: ExactMap;
}

function live(fields: ExactMap, holders: readonly Holder[], annotations: ExactMap = {}): ExactMap {
  const managedFields = holders.map(({ manager = "tenon", operation = "Apply", fields: fieldsV1 }) => ({
    manager,
    operation,
    fieldsV1,
  }));
  return { ...fields, metadata: { name: "a", annotations, managedFields } };
}

function removed(desired: ExactMap, current: ExactMap): [string, Exact | undefined][] {
  return findRemovals(desired, current, "tenon").map(({ path, before }) => [formatFieldPath(path), before]);
}

const ports = [
  { port: 80, protocol: "TCP", nodePort: 30000 },
  { port: 80, protocol: "UDP" },
];
const heldPorts = {
  'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {} },
  'k:{"port":80,"protocol":"UDP"}': { ".": {}, "f:port": {}, "f:protocol": {} },
};

describe("an apply takes away", () => {
  test.each<{
    reason: string;
    desired: ExactMap;
    current: ExactMap;
    holders: readonly Holder[];
    paths: readonly [string, Exact][];
  }>([
    {
      reason: "a field that is ours and no longer desired",
      desired: { data: { a: "1" } },
      current: { data: { a: "1", b: "2" } },
      holders: [{ fields: { "f:data": { "f:a": {}, "f:b": {} } } }],
      paths: [["data.b", "2"]],
    },
    {
      reason: "each field of ours in a map that is not desired at all, and none of the others'",
      desired: {},
      current: { data: { a: "1", theirs: "2" } },
      holders: [
        { fields: { "f:data": { "f:a": {} } } },
        { manager: "edit", operation: "Update", fields: { "f:data": { "f:theirs": {} } } },
      ],
      paths: [["data.a", "1"]],
    },
    {
      reason: "no field that another manager holds as well",
      desired: {},
      current: { data: { a: "1" } },
      holders: [
        { fields: { "f:data": { "f:a": {} } } },
        { manager: "kubectl", operation: "Update", fields: { "f:data": { ".": {}, "f:a": {} } } },
      ],
      paths: [],
    },
    {
      reason: "an item of a list as a whole, by its keys, whether or not we write the default",
      desired: { spec: { ports: [{ port: 80 }] } },
      current: { spec: { ports } },
      holders: [{ fields: { "f:spec": { "f:ports": heldPorts } } }],
      paths: [["spec.ports[1]", { port: 80, protocol: "UDP" }]],
    },
    {
      reason: "an item of a set",
      desired: { spec: { finalizers: [] } },
      current: { spec: { finalizers: ["example.dev/a", "example.dev/b"] } },
      holders: [{ fields: { "f:spec": { "f:finalizers": { 'v:"example.dev/b"': {} } } } }],
      paths: [["spec.finalizers[1]", "example.dev/b"]],
    },
    {
      reason: "nothing that is gone already",
      desired: {},
      current: {},
      holders: [{ fields: { "f:data": { "f:a": {} } } }],
      paths: [],
    },
    {
      reason: "no field that differs: that is a change",
      desired: { data: { a: "2" } },
      current: { data: { a: "1" } },
      holders: [{ fields: { "f:data": { "f:a": {} } } }],
      paths: [],
    },
    {
      reason: "nothing that only others hold",
      desired: {},
      current: { data: { a: "1" } },
      holders: [{ manager: "edit", fields: { "f:data": { "f:a": {} } } }],
      paths: [],
    },
  ])("$reason", ({ desired, current, holders, paths }) => {
    expect(removed(desired, live(current, holders))).toEqual(paths);
  });

  test("what kubectl applied for the owner of the object, unless we have applied it since", () => {
    const byKubectl = {
      manager: "kubectl-client-side-apply",
      operation: "Update",
      fields: { "f:data": { "f:a": {} } },
    };
    const owned = { [annotation.integration]: "test" };
    const current = { data: { a: "1" } };
    expect(removed({}, live(current, [byKubectl], owned))).toEqual([["data.a", "1"]]);
    expect(removed({}, live(current, [byKubectl, { fields: {} }], owned))).toEqual([]);
    expect(removed({}, live(current, [byKubectl])), "what was made by hand stays").toEqual([]);
  });

  test("of what kubectl holds, only what it applied, and no default of the server", () => {
    const byKubectl = {
      manager: "kubectl-client-side-apply",
      operation: "Update",
      fields: {
        "f:spec": {
          "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {}, "f:protocol": {} } },
          "f:sessionAffinity": {},
          "f:type": {},
        },
        "f:metadata": { "f:annotations": { ".": {}, "f:note": {} } },
        "f:status": { "f:loadBalancer": { "f:ingress": {} } },
      },
    };
    const current = {
      spec: { ports: [{ port: 80, protocol: "TCP" }], sessionAffinity: "None", type: "ClusterIP" },
      status: { loadBalancer: { ingress: [] } },
    };
    const applied = (copy: string) =>
      live(current, [byKubectl], { [annotation.integration]: "test", [annotation.lastApplied]: copy, note: "n" });
    const copy = { spec: { ports: [{ port: 80 }], type: "ClusterIP" }, status: {} };
    expect(removed({}, applied(JSON.stringify(copy)))).toEqual([
      ["spec.ports[0]", { port: 80, protocol: "TCP" }],
      ["spec.type", "ClusterIP"],
    ]);
    expect(removed({}, applied("not JSON")).map(([path]) => path)).toContain("spec.sessionAffinity");
  });

  test("no stamp that a diff would show", () => {
    const annotations = { [annotation.update]: "2026-01-01T00:00:00Z", own: "1" };
    const held = { "f:metadata": { "f:annotations": { [`f:${annotation.update}`]: {}, "f:own": {} } } };
    expect(removed({}, live({}, [{ fields: held }], annotations))).toEqual([["metadata.annotations.own", "1"]]);
  });
});
