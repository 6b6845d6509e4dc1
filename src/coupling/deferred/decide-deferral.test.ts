import { expect, test } from "vitest";
import { DeferredResource } from "../kinds/deferred-resource.ts";
import { apiVersion } from "../kinds/names.ts";
import { deferredObject, delayLeftMs, describeAwaited } from "./decide-deferral.ts";

const created = "2026-01-01T00:00:00Z";

function deferred(spec: object): DeferredResource {
  const metadata = { name: "d", namespace: "app", creationTimestamp: created };
  return DeferredResource.parse({ apiVersion, kind: "DeferredResource", metadata, spec });
}

test.each([
  { spec: {}, afterMs: 0, leftMs: 0, reason: "without a timeout nothing is waited for" },
  { spec: { timeout: 10 }, afterMs: 0, leftMs: 10_000, reason: "a timeout is in seconds, from the creation on" },
  { spec: { timeout: 10 }, afterMs: 9_999, leftMs: 1, reason: "a restart does not start it anew" },
  { spec: { timeout: 10 }, afterMs: 60_000, leftMs: 0, reason: "it has passed" },
])("the delay of a DeferredResource: $reason", ({ spec, afterMs, leftMs }) => {
  expect(delayLeftMs(deferred(spec), Date.parse(created) + afterMs)).toBe(leftMs);
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
