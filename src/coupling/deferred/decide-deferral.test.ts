import { expect, test } from "vitest";
import { apiVersion, DeferredResource } from "../kinds/index.ts";
import { deferredObject, describeAwaited, dueTimeMs } from "./decide-deferral.ts";

const created = "2026-01-01T00:00:00Z";

function deferred(spec: object): DeferredResource {
  const metadata = { name: "d", namespace: "app", creationTimestamp: created };
  return DeferredResource.parse({ apiVersion, kind: "DeferredResource", metadata, spec });
}

test.each([
  { spec: {}, afterMs: 0, reason: "without a timeout nothing is waited for" },
  { spec: { timeout: 10 }, afterMs: 10_000, reason: "a timeout is in seconds, from the creation on" },
])("when a DeferredResource is due: $reason", ({ spec, afterMs }) => {
  expect(dueTimeMs(deferred(spec))).toBe(Date.parse(created) + afterMs);
});

test("the object of a DeferredResource is created in its own namespace", () => {
  const resource = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "kube-system" } };
  expect(deferredObject(deferred({ resource })).metadata).toEqual({ name: "a", namespace: "app" });
});

test.each([{}, { resource: {} }, { resource: { apiVersion: "v1", kind: "ConfigMap" } }])(
  "a DeferredResource with the spec %j creates nothing, and says which field is missing",
  (spec) => {
    expect(() => deferredObject(deferred(spec))).toThrow(/^DeferredResource app\/d spec\.resource: .*; set apiVersion/);
  },
);

test("a DeferredResource that waits for many objects names the first five", () => {
  const refs = Array.from({ length: 7 }, (_, index) => {
    return { apiVersion: "v1", kind: "Secret", namespace: "app", name: `s${index}` };
  });
  expect(describeAwaited(refs)).toBe(
    "waiting for Secret app/s0, Secret app/s1, Secret app/s2, Secret app/s3, Secret app/s4 and 2 more",
  );
});
