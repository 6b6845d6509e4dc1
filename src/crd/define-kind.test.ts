import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { InputError } from "#base";
import { toCustomResourceDefinition } from "./custom-resource-definition.ts";
import { defineKind, type KindDefinition } from "./define-kind.ts";
import { toyWidget, type Widget } from "./toy-widget.fixture.ts";

const Toy = toyWidget("toys.example.dev");
const metadata = { name: "a", namespace: "b", labels: { x: "y" } };
const valid = { apiVersion: "toys.example.dev/v1alpha1", kind: "Widget", metadata, spec: { owner: "team-a" } };

describe("parse", () => {
  test("gives the inferred type, with defaults, and keeps all of metadata", () => {
    const widget = Toy.parse({ ...valid, metadata: { ...metadata, selfLink: "kept" } });
    expectTypeOf(widget).toEqualTypeOf<Widget>();
    expectTypeOf(widget.spec.size).toEqualTypeOf<"Small" | "Large">();
    expectTypeOf(widget.status?.replicas).toEqualTypeOf<number | undefined>();
    expect(widget.spec).toStrictEqual({ owner: "team-a", size: "Small", minReplicas: 1, memory: "64Mi" });
    expect(widget.metadata).toStrictEqual({ ...metadata, selfLink: "kept" });
  });

  test.each([
    {
      change: { spec: {} },
      says: "Widget b/a: spec.owner: expected string, received undefined",
      reason: "one problem, one line",
    },
    {
      change: { spec: { owner: "", timeout: "x", memory: "y", ports: [{ name: "x", port: 0 }] } },
      says: /^Widget b\/a: 4 fields are wrong:\n {2}spec\.memory: .*\n {2}spec\.owner: .*\n {2}spec\.ports\[0\]\.port: .*\n {2}spec\.timeout: /,
      reason: "several, sorted",
    },
    {
      change: { spec: { owner: "a", labels: { "x/y": 1 } } },
      says: 'spec.labels["x/y"]: expected string',
      reason: "a key",
    },
    {
      change: { spec: { owner: "a", minReplicas: 3, maxReplicas: 2 } },
      says: "spec.minReplicas: minReplicas is at most maxReplicas",
      reason: "the twin of a rule",
    },
    {
      change: { spec: { owner: "a", memory: "y" } },
      says: "spec.memory: expected a quantity such as 500m",
      reason: "the branch of a union that fits",
    },
    {
      change: { spec: { owner: "a", memory: true } },
      says: /spec\.memory: expected number, .* or expected string, /,
      reason: "no branch of a union fits",
    },
    { change: { metadata: {} }, says: /^Widget: metadata\.name: /, reason: "an object without a name" },
    { change: { kind: "Gadget" }, says: /^Widget b\/a: kind: /, reason: "another kind" },
    {
      change: { apiVersion: "toys.example.dev/v1" },
      says: /^Widget b\/a: expected apiVersion toys\.example\.dev\/v1alpha1, got toys\.example\.dev\/v1; change the apiVersion, or read the object/,
      reason: "another version",
    },
  ])("names object and fields: $reason", ({ change, says }) => {
    const parse = () => Toy.parse({ ...valid, ...change });
    expect(parse).toThrow(InputError);
    expect(parse).toThrow(says);
  });

  test.each([undefined, null, 1, "text", []])("refuses %j, which is not an object", (value) => {
    expect(() => Toy.parse(value)).toThrow(InputError);
  });
});

const plain: KindDefinition = {
  group: "example.dev",
  version: "v1",
  kind: "Thing",
  scope: "Cluster",
  description: "A thing.",
  spec: z.object({ a: z.string() }),
};

describe("defineKind refuses at once", () => {
  test.each([
    { change: { group: "example" }, says: /"example" cannot be the group/, reason: "a group has a dot" },
    { change: { group: "apps.k8s.io" }, says: /those of Kubernetes are protected/, reason: "a protected group" },
    { change: { kind: "thing" }, says: /write the kind like Widget/, reason: "a kind is capitalised" },
    { change: { plural: "Things" }, says: /its plural like widgets/, reason: "a plural is not" },
    { change: { version: "1" }, says: /"1" is not a valid version/, reason: "no v" },
    {
      change: { otherVersions: [{ version: "v1", spec: z.object({}) }] },
      says: /is listed twice/,
      reason: "one version twice",
    },
    {
      change: { storageVersion: "v2" },
      says: /v2 is not defined; choose one of v1/,
      reason: "an unknown storage version",
    },
    { change: { examples: [{ title: "x", object: {} }] }, says: /^Thing: /, reason: "an example that does not parse" },
  ])("$reason", ({ change, says }) => {
    expect(() => defineKind<z.ZodType, z.ZodType>({ ...plain, ...change })).toThrow(InputError);
    expect(() => defineKind<z.ZodType, z.ZodType>({ ...plain, ...change })).toThrow(says);
  });
});

describe("toCustomResourceDefinition", () => {
  test("is the same each time, and its hash changes with it", () => {
    const crd = toCustomResourceDefinition(defineKind(plain));
    expect(toCustomResourceDefinition(defineKind(plain))).toStrictEqual(crd);
    const other = toCustomResourceDefinition(defineKind({ ...plain, description: "Another." }));
    expect(other.metadata.annotations).not.toStrictEqual(crd.metadata.annotations);
    expect(crd.spec).toStrictEqual({
      group: "example.dev",
      scope: "Cluster",
      names: { kind: "Thing", listKind: "ThingList", plural: "things", singular: "thing" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              description: "A thing.",
              properties: { spec: { type: "object", properties: { a: { type: "string" } }, required: ["a"] } },
              required: ["spec"],
            },
          },
        },
      ],
    });
  });

  test("several versions: one is stored, each says what becomes of it", () => {
    const older = { version: "v1beta1", spec: z.object({}).optional(), served: false, deprecated: "use v1" } as const;
    const { spec } = toCustomResourceDefinition(
      defineKind({ ...plain, otherVersions: [older], storageVersion: "v1beta1" }),
    );
    expect(spec.versions).toMatchObject([
      { name: "v1", served: true, storage: false },
      { name: "v1beta1", served: false, storage: true, deprecated: true, deprecationWarning: "use v1" },
    ]);
    expect(spec.versions[1]?.schema.openAPIV3Schema).not.toHaveProperty("required");
  });

  test.each([
    {
      change: { spec: z.string() },
      says: /^spec: spec must be an object; use z\.object/,
      reason: "a spec that is not an object",
    },
    {
      change: { printerColumns: [{ name: "A", type: "string", jsonPath: ".spec.b" }] } as const,
      says: /^JSON path \.spec\.b: field b not found/,
      reason: "a column of nothing",
    },
    {
      change: { printerColumns: [{ name: "A", type: "string", jsonPath: "spec.a" }] } as const,
      says: /does not start with a dot/,
      reason: "a path that is not a JSON path",
    },
    { change: { selectableFields: [".spec.b"] }, says: /field b not found/, reason: "a selector for nothing" },
    {
      change: { rules: [{ rule: "", message: "x" }] },
      says: /a rule needs an expression/,
      reason: "a rule that says nothing",
    },
    {
      change: { otherVersions: [{ version: "v2", spec: z.object({ x: z.date() }) }] },
      says: /^spec\.x: Kubernetes cannot express z\.date/,
      reason: "in another version",
    },
  ])("refuses $reason", ({ change, says }) => {
    const kind = defineKind<z.ZodType, z.ZodType>({ ...plain, ...change });
    expect(() => toCustomResourceDefinition(kind)).toThrow(InputError);
    expect(() => toCustomResourceDefinition(kind)).toThrow(says);
  });
});

test.each([
  { kind: "Widget", plural: "widgets" },
  { kind: "Policy", plural: "policies" },
  { kind: "Gateway", plural: "gateways" },
  { kind: "Box", plural: "boxes" },
  { kind: "Class", plural: "classes" },
])("the plural of $kind is $plural", ({ kind, plural }) => {
  expect(defineKind({ ...plain, kind }).plural).toBe(plural);
});
