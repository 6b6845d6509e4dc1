import { describe, expect, test } from "vitest";
import { type FieldPath, formatFieldPath, parseFieldPath } from "#base";
import { fc } from "#seeded";
import { compareObjects, type ObjectComparison } from "./compare-objects.ts";
import { areSameCpu, areSameQuantity } from "./quantity.ts";
import { annotation } from "../object/attribution.ts";
import { type Exact, type ExactMap, isExactList, isExactMap, WholeFloat } from "../object/exact.ts";
import { ManagedObject } from "../object/managed-object.ts";

/** A place and what is there afterwards. */
type Edit = readonly [path: string | FieldPath, value: Exact | undefined];

const container = "spec.template.spec.containers[0]";
const a = { name: "A", value: "1" };
const b = { name: "B", value: "2" };
const foreign = { name: "X" };

const deployment: ExactMap = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "a", labels: { a: "x" } },
  spec: {
    replicas: 1,
    template: {
      spec: { containers: [{ name: "c", env: [a, b], resources: { requests: { cpu: "1", memory: "1Gi" } } }] },
    },
  },
};

function resource(body: ExactMap, skipValidation = false): ManagedObject {
  return new ManagedObject({ body, integration: "i", integrationVersion: "0.1.0", skipValidation });
}

function changed(body: ExactMap, edits: readonly Edit[]): ExactMap {
  let result: Exact = body;
  for (const [path, value] of edits)
    result = edited(result, typeof path === "string" ? parseFieldPath(path) : path, value);
  return isExactMap(result) ? result : body;
}

/** What the cluster has after `desired` was applied and another writer changed it. */
function after(desired: ExactMap, ...edits: readonly Edit[]): ManagedObject {
  return resource(changed(resource(desired).annotate(new Date(0)), edits), true);
}

function compare(edits: readonly Edit[], desired = deployment): ObjectComparison {
  return compareObjects(resource(desired), after(desired, ...edits));
}

const stamp = (key: string): FieldPath => ["metadata", "annotations", key];

test.each<{ reason: string; edits: readonly Edit[] }>([
  { reason: "G6-01: an untouched object is identical", edits: [] },
  {
    reason: "G6-02, D-34: an object is identical when the cluster adds fields, labels, status and metadata",
    edits: [
      ["spec.revisionHistoryLimit", 10],
      ["metadata.labels.foreign", "y"],
      ["metadata.uid", "u"],
      ["metadata.namespace", "n"],
      ["metadata.creationTimestamp", "t"],
      ["status", { replicas: 1 }],
    ],
  },
  {
    reason: "G6-04: an object is identical when another manager adds a variable after ours",
    edits: [[`${container}.env`, [a, b, foreign]]],
  },
  {
    reason: "G6-05: an object is identical when another manager adds a variable before ours",
    edits: [[`${container}.env`, [foreign, a, b]]],
  },
  {
    reason: "G6-06: an object is identical when its cpu is written in thousandths",
    edits: [[`${container}.resources.requests.cpu`, "1000m"]],
  },
  {
    reason: "G6-09: an object is identical when its memory is written in another unit",
    edits: [[`${container}.resources.requests.memory`, "1024Mi"]],
  },
])("$reason", ({ edits }) => {
  expect(compare(edits)).toMatchObject({ reason: undefined, changes: [] });
});

test.each<{ reason: string; edits: readonly Edit[]; path?: string }>([
  { reason: "G6-03: an object with other replicas is modified", edits: [["spec.replicas", 3]], path: "spec.replicas" },
  {
    reason: "G6-05: an object with our variables in another order is modified",
    edits: [[`${container}.env`, [b, a]]],
    path: `${container}.env`,
  },
  {
    reason: "G6-05: an object without one of our variables is modified",
    edits: [[`${container}.env`, [a]]],
    path: `${container}.env[1]`,
  },
  {
    reason: "G6-07: an object without its cpu request is modified",
    edits: [[`${container}.resources.requests.cpu`, undefined]],
    path: `${container}.resources.requests.cpu`,
  },
  {
    reason: "G6-08: an object with a label's value at another key is modified",
    edits: [["metadata.labels", { b: "x" }]],
    path: "metadata.labels.a",
  },
  {
    reason: "G6-10, D-32: an object without its annotations is modified",
    edits: [["metadata.annotations", undefined]],
  },
  { reason: "G6-11: an object with null annotations is modified", edits: [["metadata.annotations", null]] },
  {
    reason: "G6-11: an object that has lost its owner annotation is modified",
    edits: [[stamp(annotation.integration), undefined]],
  },
  {
    reason: "G6-12, D-32: an object with another owner in its annotations is modified",
    edits: [[stamp(annotation.integration), "j"]],
  },
  {
    reason: "D-35: an object with a string in place of a number is modified",
    edits: [["spec.replicas", "1"]],
    path: "spec.replicas",
  },
  {
    reason: "D-35: an object with true in place of a number is modified",
    edits: [["spec.replicas", true]],
    path: "spec.replicas",
  },
])("$reason", ({ edits, path }) => {
  const { reason, changes } = compare(edits);
  expect(reason).toBeDefined();
  expect(changes.map((change) => change.path)).toEqual(path === undefined ? [] : [parseFieldPath(path)]);
});

test("G6-13, D-32: an object is modified when the desired one has changed since it was applied", () => {
  const other = changed(deployment, [["spec.minReadySeconds", 5]]);
  expect(compareObjects(resource(other), after(deployment))).toMatchObject({
    reason: "changed",
    changes: [{ path: ["spec", "minReadySeconds"], before: undefined, after: 5 }],
  });
  expect(compareObjects(resource(deployment), after(other))).toMatchObject({
    reason: "only its recorded hash is out of date",
    changes: [],
  });
});

test("G6-14, D-34: an empty variable that the cluster leaves out counts as equal", () => {
  const desired = changed(deployment, [[`${container}.env`, [{ name: "E", value: "" }]]]);
  expect(compare([[`${container}.env[0].value`, undefined]], desired).reason).toBeUndefined();
});

const restart: FieldPath = ["spec", "template", "metadata", "annotations", "kubectl.kubernetes.io/restartedAt"];

test("G6-15: a restart by hand is kept by the next apply", () => {
  const first = compareObjects(resource(deployment), after(deployment, [restart, "T"]));
  expect(first.reason).toBeDefined();
  const applied = first.desired.annotate(new Date(0));
  expect(applied).toEqual(expect.objectContaining(changed({ spec: deployment["spec"] ?? null }, [[restart, "T"]])));
  expect(compareObjects(resource(deployment), resource(applied, true)).reason).toBeUndefined();
});

test("D-31: a desired restart annotation is not replaced by the live one", () => {
  const desired = changed(deployment, [[restart, "mine"]]);
  const comparison = compareObjects(resource(desired), after(desired, [restart, "theirs"]));
  expect(comparison.desired.body).toEqual(desired);
});

test.each([
  { one: "1", other: "1000m", same: true },
  { one: "0.5", other: "500m", same: true },
  { one: "1.5", other: "1500m", same: true },
  { one: "100m", other: "0.1", same: true },
  { one: "1k", other: "1000", same: false },
  { one: "1", other: "2", same: false },
])("G6-16: cpu quantities are compared by amount: $one, $other", ({ one, other, same }) => {
  expect(areSameCpu(one, other)).toBe(same);
});

test.each([
  { one: "1Gi", other: "1024Mi", same: true },
  { one: "1G", other: "1000M", same: true },
  { one: "1e3", other: "1k", same: true },
  { one: "128974848", other: "123Mi", same: true },
  { one: "0.5Gi", other: "512Mi", same: true },
  { one: "1Gi", other: "1G", same: false },
  { one: "abc", other: "abc", same: true },
  { one: "0", other: "0m", same: true },
  { one: "1", other: 1, same: true },
])("D-35: quantities are compared by amount: $one, $other", ({ one, other, same }) => {
  expect(areSameQuantity(one, other)).toBe(same);
});

test.each<{ reason: string; list: string; desired: Exact; current: Exact; paths: readonly string[] }>([
  {
    reason: "a list that tells no items apart, and is shorter",
    list: "args",
    desired: ["a", "b"],
    current: ["a"],
    paths: ["spec.args"],
  },
  {
    reason: "one item of such a list",
    list: "args",
    desired: ["a", "b"],
    current: ["a", "c"],
    paths: ["spec.args[1]"],
  },
  {
    reason: "items that are desired twice are compared by position",
    list: "env",
    desired: [a, a],
    current: [a, b],
    paths: ["spec.env[1].name", "spec.env[1].value"],
  },
  {
    reason: "an item among those of others",
    list: "env",
    desired: [a, b],
    current: [foreign, a, { name: "B", value: "3" }],
    paths: ["spec.env[1].value"],
  },
  {
    reason: "a number is not a text",
    list: "env",
    desired: [{ name: "1" }],
    current: [foreign, { name: 1 }],
    paths: ["spec.env[0]"],
  },
  {
    reason: "ports of which the server says that they are TCP",
    list: "ports",
    desired: [{ port: 80 }, { port: new WholeFloat(443), protocol: "TCP" }],
    current: [
      { port: 80, protocol: "UDP" },
      { port: 80, protocol: "TCP" },
      { port: 443, protocol: "TCP" },
    ],
    paths: [],
  },
  {
    reason: "a finalizer is gone",
    list: "finalizers",
    desired: ["x", "y"],
    current: ["z", "y"],
    paths: ["spec.finalizers[0]"],
  },
])("lists: $reason", ({ list, desired, current, paths }) => {
  const { changes } = compare([["spec", { [list]: current }]], changed(deployment, [["spec", { [list]: desired }]]));
  expect(changes.map(({ path }) => formatFieldPath(path))).toEqual(paths);
});

describe("what the API server leaves out", () => {
  test.each<{ reason: string; value: Exact }>([
    { reason: "an empty text", value: "" },
    { reason: "false", value: false },
    { reason: "an empty list", value: [] },
    { reason: "an empty map", value: { deeper: {} } },
    { reason: "null", value: null },
  ])("is not a difference: $reason", ({ value }) => {
    expect(compare([["spec.field", undefined]], changed(deployment, [["spec.field", value]])).reason).toBeUndefined();
  });

  test("is not a difference: an empty list in the selector of a workload", () => {
    const selector = { matchLabels: { app: "a" } };
    const desired = changed(deployment, [["spec.selector", { ...selector, matchExpressions: [] }]]);
    expect(compare([["spec.selector", selector]], desired).reason).toBeUndefined();
  });

  test.each<{ reason: string; field: string; value: Exact; instead?: readonly Edit[] }>([
    { reason: "a token that is not mounted", field: "spec.template.spec.automountServiceAccountToken", value: false },
    { reason: "a user", field: `${container}.securityContext.runAsUser`, value: 0 },
    { reason: "no privileges", field: `${container}.securityContext.allowPrivilegeEscalation`, value: false },
    {
      reason: "a volume that is empty",
      field: "spec.template.spec.volumes",
      value: [{ name: "v", emptyDir: {} }],
      instead: [["spec.template.spec.volumes", [{ name: "v", hostPath: { path: "/" } }]]],
    },
    {
      reason: "who may connect",
      field: "spec.ingress",
      value: [{ from: [{ podSelector: {} }] }],
      instead: [["spec.ingress", [{ from: [{ namespaceSelector: {} }] }]]],
    },
  ])("is a difference where its absence means something else: $reason", ({ field, value, instead }) => {
    const parent = field.slice(0, field.lastIndexOf("."));
    const holder: readonly Edit[] = parent.endsWith("securityContext") ? [[parent, {}]] : [];
    const desired = changed(deployment, [...holder, [field, value]]);
    expect(compare([], desired).reason).toBeUndefined();
    expect(compare(instead ?? [[field, undefined]], desired)).toMatchObject({ reason: "changed on the cluster" });
  });

  test("an empty label is one all the same", () => {
    const desired = changed(deployment, [["metadata.labels.a", ""]]);
    expect(compare([["metadata.labels.a", undefined]], desired).changes).toEqual([
      { path: ["metadata", "labels", "a"], before: undefined, after: "" },
    ]);
    expect(compare([["metadata.labels", undefined]], desired).changes).toEqual([
      { path: ["metadata", "labels"], before: undefined, after: { a: "" } },
    ]);
  });
});

test("D-33: a Secret is compared with its stringData encoded", () => {
  const desired = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, stringData: { k: "v" } };
  const kept: Edit[] = [
    ["stringData", undefined],
    ["data", { k: "dg==" }],
    ["type", "Opaque"],
  ];
  expect(compare(kept, desired).reason).toBeUndefined();
});

test("an object compared with itself is identical, whatever it holds", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue()), (spec) => {
      const written: ExactMap = JSON.parse(JSON.stringify(spec));
      const desired = { apiVersion: "x/v1", kind: "Thing", metadata: { name: "a" }, spec: written };
      expect(compare([], desired).changes).toEqual([]);
    }),
  );
});

/** What tests do to live objects: the same value with another one at `path`; `undefined` removes it. */
function edited(value: Exact, path: FieldPath, change: Exact | undefined): Exact {
  const [key, ...rest] = path;
  if (key === undefined) return change ?? null;
  if (typeof key === "number") {
    const items = isExactList(value) ? value : [];
    const item = rest.length === 0 ? change : edited(items[key] ?? null, rest, change);
    return item === undefined ? items.toSpliced(key, 1) : items.with(key, item);
  }
  const fields = isExactMap(value) ? value : {};
  const { [key]: field, ...others } = fields;
  const next = rest.length === 0 ? change : edited(field ?? {}, rest, change);
  return next === undefined ? others : { ...fields, [key]: next };
}
