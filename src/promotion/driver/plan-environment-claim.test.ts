import { describe, expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { isSameClaim, planEnvironmentClaim, readAllocation } from "./plan-environment-claim.ts";

const driver = "env.tenon.dev";
const result = { request: "env", driver, pool: "node-1", device: "slot-0" };

function resourceClaim(devices: object, uid = "u1"): KubeObject {
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: { name: "e2e-env-x", namespace: "shop", uid },
    status: { allocation: { devices } },
  };
}

const config = (source: string, parameters: unknown, requests: readonly string[] = []) => ({
  source,
  requests,
  opaque: { driver, parameters },
});
const fromClass = config("FromClass", { className: "small" });

describe("what the scheduler gave a claim", () => {
  test("the DeviceClass names the class, and the claim may ask for a time and for a run", () => {
    const own = config("FromClaim", { ttl: "30m", scope: "PipelineRun" }, ["env"]);
    const other = config("FromClaim", { ttl: "9h" }, ["other"]);
    expect(readAllocation(resourceClaim({ results: [result], config: [fromClass, own, other] }))).toEqual({
      request: "env",
      pool: "node-1",
      device: "slot-0",
      className: "small",
      ttl: "30m",
      scope: "PipelineRun",
    });
  });

  test.for([
    { reason: "nothing is allocated", devices: { results: [] }, message: /no device of the claim is one of env/ },
    {
      reason: "the claim asks for two",
      devices: { results: [result, { ...result, device: "slot-1" }], config: [fromClass] },
      message: /asks for 2 environments/,
    },
    {
      reason: "the DeviceClass names no class",
      devices: { results: [result] },
      message: /of the DeviceClass .* className/,
    },
    {
      reason: "the claim names a class, which is not its to choose",
      devices: { results: [result], config: [fromClass, config("FromClaim", { className: "large" })] },
      message: /of the claim .* className/i,
    },
    {
      reason: "the time is not a duration",
      devices: { results: [result], config: [fromClass, config("FromClaim", { ttl: "soon" })] },
      message: /ttl: expected a duration/,
    },
  ])("refused: $reason", ({ devices, message }) => {
    expect(() => readAllocation(resourceClaim(devices))).toThrow(message);
  });
});

describe("the claim of an environment", () => {
  const claim = resourceClaim({ results: [result], config: [fromClass] });
  const allocated = readAllocation(claim);
  const forRun = { ...allocated, scope: "PipelineRun" } as const;

  test("is the same each time, another for another ResourceClaim of that name, and goes with the ResourceClaim", () => {
    const planned = planEnvironmentClaim(claim, allocated, undefined);
    expect(planEnvironmentClaim(claim, allocated, "run-1")).toEqual(planned);
    expect(planned.metadata.ownerReferences).toMatchObject([{ kind: "ResourceClaim", name: "e2e-env-x", uid: "u1" }]);
    const later = planEnvironmentClaim(resourceClaim({}, "u2"), allocated, undefined);
    expect(later.metadata.name).not.toBe(planned.metadata.name);
  });

  test("P68: is one for all pods of a PipelineRun, and goes with the run", () => {
    const first = planEnvironmentClaim(claim, forRun, "run-1");
    expect(planEnvironmentClaim(resourceClaim({}, "u2"), forRun, "run-1")).toEqual(first);
    expect(first["spec"]).toEqual({ className: "small", ownerRef: { kind: "PipelineRun", name: "run-1" } });
    expect(first.metadata.ownerReferences).toBeUndefined();
    const names = [
      planEnvironmentClaim(claim, forRun, "run-2"),
      planEnvironmentClaim(claim, { ...forRun, className: "large" }, "run-1"),
    ].map(({ metadata }) => metadata.name);
    expect(names).not.toContain(first.metadata.name);
  });

  test("for a run is refused in a pod that belongs to none", () => {
    expect(() => planEnvironmentClaim(claim, forRun, undefined)).toThrow(/its pod is not one of a PipelineRun/);
  });

  test("that is there already is used only if it asks for the same", () => {
    const wanted = planEnvironmentClaim(claim, allocated, undefined);
    expect(isSameClaim(wanted, { ...wanted, status: { phase: "Ready" } })).toBe(true);
    expect(isSameClaim(wanted, { ...wanted, spec: { className: "large" } })).toBe(false);
    expect(isSameClaim(wanted, { ...wanted, metadata: { ...wanted.metadata, labels: {} } })).toBe(false);
  });
});
