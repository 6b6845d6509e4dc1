import { expect, test } from "vitest";
import { formatFieldPath } from "#base";
import { compareObjects } from "./compare-objects.ts";
import { parseJsonPointer } from "./ignored-fields.ts";
import { annotation } from "../object/attribution.ts";
import { type ExactMap, mapAt } from "../object/exact.ts";
import { ManagedObject } from "../object/managed-object.ts";

function thing(spec: ExactMap, metadata: ExactMap = {}): ManagedObject {
  const body = { apiVersion: "x/v1", kind: "Thing", metadata: { name: "a", ...metadata }, spec };
  return new ManagedObject({ body, integration: "i", integrationVersion: "0.1.0", skipValidation: true });
}

interface Held {
  readonly manager: string;
  readonly fields: ExactMap;
  readonly operation?: string;
}

/** What the cluster has after `applied` was applied, and others have written. */
function live(applied: ExactMap, spec: ExactMap, holders: readonly Held[] = []): ManagedObject {
  const stamped = thing(applied).annotate(new Date(0));
  const managedFields = holders.map(({ manager, operation = "Update", fields }) => ({
    manager,
    operation,
    fieldsV1: { "f:spec": fields },
  }));
  const body = { ...stamped, metadata: { ...mapAt(stamped, "metadata"), managedFields }, spec };
  return new ManagedObject({ body, integration: "i", integrationVersion: "0.1.0", skipValidation: true });
}

function ignoring(paths: readonly string[], managers: readonly string[] = []) {
  return { ignored: { paths: paths.map((path) => parseJsonPointer(path) ?? []), managers: new Set(managers) } };
}

const containers = (image: string, more: ExactMap = {}) => [{ name: "main", image, ...more }];

test.each<{
  reason: string;
  desired: ExactMap;
  found: ExactMap;
  paths?: readonly string[];
  managers?: readonly string[];
  holders?: readonly Held[];
  sent: ExactMap;
  changes?: readonly string[];
}>([
  {
    reason: "a field",
    desired: { replicas: 1, paused: true },
    found: { replicas: 3, paused: false },
    paths: ["/spec/replicas"],
    sent: { replicas: 3, paused: true },
    changes: ["spec.paused"],
  },
  {
    reason: "all below a field",
    desired: { limits: { cpu: "1", memory: "1Gi" } },
    found: { limits: { cpu: "2" } },
    paths: ["/spec/limits"],
    sent: { limits: { cpu: "2" } },
  },
  {
    reason: "a field that is gone",
    desired: { replicas: 1, limits: { cpu: "1" } },
    found: { replicas: 1, limits: {} },
    paths: ["/spec/limits/cpu"],
    sent: { replicas: 1, limits: {} },
  },
  {
    reason: "a field of an item, which is found by its key",
    desired: { containers: containers("a:1") },
    found: { containers: [{ name: "sidecar", image: "s:1" }, ...containers("a:2")] },
    paths: ["/spec/containers/0/image"],
    sent: { containers: containers("a:2") },
  },
  {
    reason: "a field of each item",
    desired: { containers: containers("a:1", { tty: true }) },
    found: { containers: containers("a:2", { tty: false }) },
    paths: ["/spec/containers/*/image"],
    sent: { containers: containers("a:2", { tty: true }) },
    changes: ["spec.containers[0].tty"],
  },
  {
    reason: "nothing of an item that does not exist yet",
    desired: { containers: containers("a:1") },
    found: { containers: [] },
    paths: ["/spec/containers/*/image"],
    sent: { containers: containers("a:1") },
    changes: ["spec.containers[0]"],
  },
  {
    reason: "nothing that only the live object has",
    desired: { replicas: 1 },
    found: { replicas: 1, theirs: 1 },
    paths: ["/spec/theirs"],
    sent: { replicas: 1 },
  },
  {
    reason: "the fields of a manager, and not those of another",
    desired: { replicas: 1, paused: true, containers: containers("a:1", { tty: true }) },
    found: { replicas: 3, paused: false, containers: containers("a:2", { tty: false }) },
    managers: ["flagger"],
    holders: [
      {
        manager: "flagger",
        fields: { "f:replicas": {}, "f:containers": { 'k:{"name":"main"}': { ".": {}, "f:image": {} } } },
      },
      { manager: "kubectl", fields: { "f:paused": {}, "f:containers": { 'k:{"name":"main"}': { "f:tty": {} } } } },
    ],
    sent: { replicas: 3, paused: true, containers: containers("a:2", { tty: true }) },
    changes: ["spec.paused", "spec.containers[0].tty"],
  },
  {
    reason: "nothing of our own, or we could never change it",
    desired: { replicas: 2 },
    found: { replicas: 1 },
    managers: ["tenon"],
    holders: [{ manager: "tenon", operation: "Apply", fields: { "f:replicas": {} } }],
    sent: { replicas: 2 },
    changes: ["spec.replicas"],
  },
])("what is ignored is sent as it is: $reason", ({ desired, found, paths = [], managers, holders, sent, changes }) => {
  const comparison = compareObjects(thing(desired), live(desired, found, holders), ignoring(paths, managers));
  expect(comparison.desired.body["spec"]).toEqual(sent);
  expect(comparison.changes.map(({ path }) => formatFieldPath(path))).toEqual(changes ?? []);
  expect(comparison.desired.sha256(), "the hash is that of what is desired").toBe(thing(desired).sha256());
});

test("an object that differs only in what is ignored is as desired, and says that something is ignored", () => {
  const found = live({ replicas: 1 }, { replicas: 3 });
  expect(compareObjects(thing({ replicas: 1 }), found, ignoring(["/spec/replicas"]))).toMatchObject({
    reason: undefined,
    hasIgnored: true,
  });
});

test("a field that is ignored and no longer desired is kept, also in an item of a list", () => {
  const applied = { replicas: 1, containers: containers("a:1", { tty: true }) };
  const ours = {
    manager: "tenon",
    operation: "Apply",
    fields: {
      "f:replicas": {},
      "f:containers": { 'k:{"name":"main"}': { ".": {}, "f:name": {}, "f:image": {}, "f:tty": {} } },
    },
  };
  const found = live(applied, applied, [ours]);
  const desired = thing({ containers: containers("a:1") });
  const removed = compareObjects(desired, found).changes.map(({ path }) => formatFieldPath(path));
  expect(removed).toEqual(["spec.replicas", "spec.containers[0].tty"]);
  const kept = compareObjects(desired, found, ignoring(["/spec/replicas", "/spec/containers/0/tty"]));
  expect(kept).toMatchObject({ changes: [], hasIgnored: true, desired: { body: { spec: applied } } });
});

test("annotations that are ignored do not bring back the marks of an owner", () => {
  const desired = thing({}, { annotations: { note: "1" } });
  const marks = { note: "2", [annotation.restart]: "2026-01-01T00:00:00Z", [annotation.sha256]: desired.sha256() };
  const found = thing({}, { annotations: { ...marks, [annotation.integration]: "i" } });
  const { desired: sent } = compareObjects(desired, found, ignoring(["/metadata/annotations"]));
  expect(sent.metadata["annotations"]).toEqual({ note: "2" });
});

test.each<{ reason: string; holders: readonly Held[]; manager: string | undefined }>([
  {
    reason: "the manager that changed it",
    holders: [
      { manager: "tenon", operation: "Apply", fields: { "f:other": {} } },
      { manager: "kubectl-edit", fields: { "f:containers": { 'k:{"name":"main"}': { "f:image": {} } } } },
      { manager: "flagger", fields: { "f:containers": { 'k:{"name":"main"}': { "f:tty": {} } } } },
    ],
    manager: "kubectl-edit",
  },
  {
    reason: "no other manager, if it is ours too",
    holders: [
      { manager: "tenon", operation: "Apply", fields: { "f:containers": {} } },
      { manager: "argocd", operation: "Apply", fields: { "f:containers": {} } },
    ],
    manager: undefined,
  },
  {
    reason: "no other manager, if it was deployed before it was ours",
    holders: [{ manager: "kubectl-client-side-apply", fields: { "f:containers": {} } }],
    manager: undefined,
  },
])("a change names $reason", ({ holders, manager }) => {
  const [desired, before] = [{ containers: containers("a:1") }, { containers: containers("a:2") }];
  const { changes } = compareObjects(thing(desired), live(desired, before, holders));
  expect(changes.map((change) => change.manager)).toEqual([manager]);
});
