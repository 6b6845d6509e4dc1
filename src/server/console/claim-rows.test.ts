import { expect, test } from "vitest";
import { claimRow } from "./object-rows.ts";

function claim(status: object, spec: object = { className: "small" }) {
  const metadata = { namespace: "shop", name: "tests", creationTimestamp: "2026-01-01T00:00:00Z" };
  return { apiVersion: "tenon.dev/v1alpha1", kind: "EphemeralClaim", metadata, spec, status };
}

const ready = (reason: string) => ({
  conditions: [{ type: "Ready", status: "False", reason, message: "why", lastTransitionTime: "2026-01-01T00:00:01Z" }],
});

test.each([
  { status: { phase: "Ready" }, waitsOn: "nothing", reason: "it is used" },
  { status: { phase: "Released" }, waitsOn: "nothing", reason: "it has ended" },
  { status: { phase: "Provisioning", ...ready("Creating") }, waitsOn: "tenon", reason: "Tenon makes it" },
  { status: { phase: "Pending", ...ready("ClassNotFound") }, waitsOn: "person", reason: "its class does not exist" },
  { status: { phase: "Failed" }, waitsOn: "person", reason: "another one is needed" },
  { status: {}, waitsOn: "person", reason: "nothing has looked at it" },
])("a claim waits on $waitsOn if $reason", ({ status, waitsOn }) => {
  expect(claimRow(claim(status)).waitsOn).toBe(waitsOn);
});

test("a claim whose spec is not valid is a row, and not the end of the list", () => {
  expect(claimRow(claim({}, { className: 7 }))).toMatchObject({ state: "Invalid", waitsOn: "person" });
});

test("a claim that has ended has no time at which it ends", () => {
  const expiresAt = "2026-01-01T01:00:00Z";
  expect(claimRow(claim({ phase: "Ready", expiresAt })).cells["ends"]).toBe(expiresAt);
  expect(claimRow(claim({ phase: "Released", expiresAt })).cells["ends"]).toBeUndefined();
});
