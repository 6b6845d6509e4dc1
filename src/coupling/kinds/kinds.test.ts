import { expect, test } from "vitest";
import { InputError } from "#base";
import { mistakes } from "./mistakes.fixture.ts";
import { apiVersion } from "./names.ts";
import { deletionPolicyOf, identityOf, requestedSocket } from "./pair.ts";
import { Plug } from "./plug.ts";
import { samplePair } from "./sample-pair.fixture.ts";
import { actionOf, isRetained, stagesOf } from "./shared-spec.ts";
import { Socket } from "./socket.ts";

test.each(mistakes.filter(({ isUnknown }) => !isUnknown))("$kind: $reason is refused", ({ kind, spec }) => {
  const object = { apiVersion, kind, metadata: { name: "a" }, spec };
  expect(() => (kind === "Plug" ? Plug : Socket).parse(object)).toThrow(InputError);
});

test("X1: Plug and Socket belong to integration.rock8s.com/v1beta1", () => {
  expect([Plug, Socket].map((kind) => kind.apiVersion)).toEqual(Array(2).fill("integration.rock8s.com/v1beta1"));
  const old = { apiVersion: "v1", kind: "Plug", metadata: { name: "a", namespace: "b" }, spec: {} };
  expect(() => Plug.parse(old)).toThrow(
    "Plug b/a: expected apiVersion integration.rock8s.com/v1beta1, got v1; change the apiVersion",
  );
});

test("X10: a resource without do is applied", () => {
  expect([{}, { do: "delete" as const }].map(actionOf)).toEqual(["apply", "delete"]);
});

test("X11: a resource without when is handled at coupled and updated", () => {
  expect(stagesOf({})).toEqual(["coupled", "updated"]);
  expect(stagesOf({ when: ["created"] })).toEqual(["created"]);
});

test.each([
  { resource: {}, isKept: false, reason: "nothing is said" },
  { resource: { retainWhenDecoupled: true }, isKept: true, reason: "the field of integration-operator" },
  { resource: { preserveWhenDecoupled: true }, isKept: true, reason: "the field of its documentation" },
  { resource: { retainWhenDecoupled: false, preserveWhenDecoupled: true }, isKept: true, reason: "either is enough" },
  { resource: { retainWhenDecoupled: false }, isKept: false, reason: "false is no" },
])("X2: a resource is kept at decoupling with either spelling of the field: $reason", ({ resource, isKept }) => {
  expect(isRetained(resource)).toBe(isKept);
});

test("H03: a socket reference without a namespace means the plug's own namespace", () => {
  const plugs = [{ name: "s" }, { name: "s", namespace: "" }, { name: "s", namespace: "prov" }].map(
    (socket) => samplePair({ socket }).plug,
  );
  expect(plugs.map((plug) => requestedSocket(plug)?.namespace)).toEqual(["app", "app", "prov"]);
  expect(requestedSocket({ ...samplePair().plug, spec: {} })).toBeUndefined();
});

test("a side acts as its service account, and names no groups, for which Tenon would need more rights", () => {
  expect(identityOf(samplePair({ serviceAccountName: "web" }).plug)).toEqual({ user: "system:serviceaccount:app:web" });
  expect(identityOf(samplePair().socket).user).toBe("system:serviceaccount:prov:default");
});

test.each([
  { spec: {}, policy: "Decouple" },
  { spec: { deletionPolicy: "Block" }, policy: "Block" },
  { spec: { socketDeletionPolicy: "DeletePlugs" }, policy: "DeletePlugs" },
])("deleting a socket with $spec does $policy", ({ spec, policy }) => {
  expect(deletionPolicyOf(samplePair({}, spec).socket)).toBe(policy);
});
