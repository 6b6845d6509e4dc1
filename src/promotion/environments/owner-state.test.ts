import { describe, expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { EphemeralClaim } from "../kinds/ephemeral-claim.ts";
import { findOwner, readOwnerState } from "./owner-state.ts";

const owner = { apiVersion: "tekton.dev/v1", kind: "PipelineRun", namespace: "shop", name: "run" } as const;

function claimWith(rest: object) {
  const { apiVersion, kind } = EphemeralClaim;
  return EphemeralClaim.parse({ apiVersion, kind, ...rest });
}

function run(status: object, uid = "1"): KubeObject {
  return {
    apiVersion: "tekton.dev/v1",
    kind: "PipelineRun",
    metadata: { name: "run", namespace: "shop", uid },
    status,
  };
}

describe("the owner of a claim", () => {
  test("is the run that it names, in its own namespace", () => {
    const claim = {
      metadata: { name: "e2e", namespace: "shop" },
      spec: { className: "s", ownerRef: { kind: "Job", name: "x" } },
    };
    expect(findOwner(claimWith(claim))).toEqual({ apiVersion: "batch/v1", kind: "Job", namespace: "shop", name: "x" });
  });

  test("is else the first of its ownerReferences that is a run, and no other object", () => {
    const ownerReferences = [
      { apiVersion: "v1", kind: "ConfigMap", name: "settings", uid: "1" },
      { apiVersion: "other.dev/v1", kind: "PipelineRun", name: "other", uid: "2" },
      { apiVersion: "tekton.dev/v1beta1", kind: "PipelineRun", name: "run", uid: "3" },
    ];
    const claim = { metadata: { name: "e2e", namespace: "shop", ownerReferences }, spec: { className: "s" } };
    expect(findOwner(claimWith(claim))).toEqual({ ...owner, uid: "3" });
  });

  test.each([
    { reason: "it has no condition yet", object: run({}), kind: "running" },
    { reason: "it runs", object: run({ conditions: [{ type: "Succeeded", status: "Unknown" }] }), kind: "running" },
    { reason: "it succeeded", object: run({ conditions: [{ type: "Succeeded", status: "True" }] }), kind: "ended" },
    { reason: "it failed", object: run({ conditions: [{ type: "Succeeded", status: "False" }] }), kind: "ended" },
    { reason: "there is none", object: undefined, kind: "gone" },
  ])("is $kind: $reason", ({ object, kind }) => {
    expect(readOwnerState(owner, object)).toMatchObject({ kind });
  });

  test("is gone if another one has its name", () => {
    expect(readOwnerState({ ...owner, uid: "2" }, run({}))).toMatchObject({ kind: "gone" });
  });
});
