import { describe, expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { ReleasePlan } from "../kinds/release-plan.ts";
import { ReleasePlanAdmission } from "../kinds/release-plan-admission.ts";
import { ReleaseServiceConfig } from "../kinds/release-service-config.ts";
import { judgeRetries } from "./judge-retries.ts";
import { readReleaseConfig } from "./release-config.ts";

const mitigations = { oomKill: { multiplier: "2" } };
const match = { url: "https://git\\.example/.*", revision: ".*", pathInRepo: "push.yaml" };

function configWith(policy: object = {}, entry: object = match) {
  const { apiVersion, kind } = ReleaseServiceConfig;
  const retryPolicy = { maxRetries: 2, disableOn: { tags: ["latest", "stable"] }, mitigations, ...policy };
  return readReleaseConfig({
    apiVersion,
    kind,
    metadata: { namespace: "tenon", name: "release-service-config" },
    spec: { retryablePipelines: [{ ...entry, retryPolicy }] },
  });
}

const pipelineRef = {
  resolver: "git",
  params: [
    { name: "url", value: "https://git.example/acme/pipelines" },
    { name: "revision", value: "main" },
    { name: "pathInRepo", value: "push.yaml" },
  ],
};

function admissionWith(spec: object = {}): KubeObject {
  const { apiVersion, kind } = ReleasePlanAdmission;
  return {
    apiVersion,
    kind,
    metadata: { namespace: "managed", name: "a" },
    spec: { pipeline: { pipelineRef }, ...spec },
  };
}

function planWith(name: string, mapping?: unknown): KubeObject {
  const { apiVersion, kind } = ReleasePlan;
  return { apiVersion, kind, metadata: { namespace: "shop", name }, spec: mapping ? { data: { mapping } } : {} };
}

describe("P37: how often a managed pipeline is repeated", () => {
  test.for([
    { reason: "as the policy says", pipeline: {}, policy: {}, maxRetries: 2 },
    { reason: "the admission goes before the policy", pipeline: { maxRetries: 5 }, policy: {}, maxRetries: 5 },
    { reason: "the admission may want fewer", pipeline: { maxRetries: 1 }, policy: {}, maxRetries: 1 },
    { reason: "the policy alone says never", pipeline: { maxRetries: 1 }, policy: { maxRetries: 0 }, maxRetries: 1 },
  ])("$reason: $maxRetries", ({ pipeline, policy, maxRetries }) => {
    const admission = admissionWith({ pipeline: { pipelineRef, ...pipeline } });
    expect(judgeRetries(admission, [], configWith(policy))).toEqual({ enabled: true, maxRetries, mitigations });
  });

  test.for([
    {
      reason: "there is no ReleaseServiceConfig",
      admission: admissionWith(),
      config: readReleaseConfig(undefined),
    },
    { reason: "spec.pipeline is not set", admission: admissionWith({ pipeline: undefined }), config: configWith() },
    {
      reason: "only pipelines of the resolver git are repeated",
      admission: admissionWith({ pipeline: { pipelineRef: { ...pipelineRef, resolver: "bundles" } } }),
      config: configWith(),
    },
    {
      reason: "no entry of spec.retryablePipelines of ReleaseServiceConfig tenon/release-service-config matches",
      admission: admissionWith(),
      config: configWith({}, { ...match, pathInRepo: "other.yaml" }),
    },
    {
      reason: "maxRetries is 0",
      admission: admissionWith({ pipeline: { pipelineRef, maxRetries: 0 } }),
      config: configWith(),
    },
    { reason: "maxRetries is 0", admission: admissionWith(), config: configWith({ maxRetries: 0 }) },
  ])("never, and it says so: $reason", ({ admission, config, reason }) => {
    expect(judgeRetries(admission, [], config)).toEqual({ enabled: false, reason });
  });

  test("never if an expression of the ReleaseServiceConfig is not valid, and it says which", () => {
    const { enabled, reason } = judgeRetries(admissionWith(), [], configWith({}, { ...match, url: "(" }));
    expect(enabled).toBe(false);
    expect(reason).toMatch(/^ReleaseServiceConfig tenon\/release-service-config: url "\(": error parsing regexp/);
  });
});

describe("P37: a managed pipeline is not repeated if a tag of the mapping is in disableOn.tags", () => {
  const places: readonly { readonly reason: string; readonly mapping: unknown }[] = [
    { reason: "defaults.tags", mapping: { defaults: { tags: ["v1", "latest"] } } },
    { reason: "defaults.componentTags", mapping: { defaults: { componentTags: ["latest"] } } },
    { reason: "components[].tags", mapping: { components: [{ name: "web" }, { name: "api", tags: ["latest"] }] } },
    { reason: "components[].componentTags", mapping: { components: [{ name: "web", componentTags: ["latest"] }] } },
    {
      reason: "components[].repositories[].tags",
      mapping: { components: [{ name: "web", repositories: [{ url: "a" }, { url: "b", tags: ["latest"] }] }] },
    },
  ];
  test.for(places)("$reason of the admission", ({ mapping }) => {
    expect(judgeRetries(admissionWith({ data: { mapping } }), [planWith("p")], configWith())).toEqual({
      enabled: false,
      reason: "ReleasePlanAdmission managed/a has the tag latest, of which releases are not repeated",
    });
  });

  test.for(places)("$reason of a plan that matches", ({ mapping }) => {
    expect(judgeRetries(admissionWith(), [planWith("p"), planWith("q", mapping)], configWith())).toEqual({
      enabled: false,
      reason: "ReleasePlan shop/q has the tag latest, of which releases are not repeated",
    });
  });

  test("of several tags, the same one is named whatever the order of the plans", () => {
    const plans = [
      planWith("p", { defaults: { tags: ["stable"] } }),
      planWith("q", { defaults: { tags: ["latest"] } }),
    ];
    const reasons = [plans, plans.toReversed()].map(
      (given) => judgeRetries(admissionWith(), given, configWith()).reason,
    );
    expect(new Set(reasons)).toEqual(
      new Set(["ReleasePlan shop/q has the tag latest, of which releases are not repeated"]),
    );
  });

  test.for([
    { reason: "another tag", mapping: { defaults: { tags: ["v1"] } } },
    { reason: "a tag that only begins so", mapping: { defaults: { tags: ["latest-1"] } } },
    { reason: "a tag that is not text", mapping: { defaults: { tags: [{ latest: true }, null] } } },
    { reason: "tags that are not a list", mapping: { defaults: { tags: "latest" }, components: "latest" } },
    { reason: "a name of a component", mapping: { components: [{ name: "latest", repositories: "latest" }] } },
    { reason: "a mapping that is none", mapping: "latest" },
  ])("but it is with $reason", ({ mapping }) => {
    expect(judgeRetries(admissionWith({ data: { mapping } }), [planWith("p", mapping)], configWith())).toMatchObject({
      enabled: true,
    });
  });
});
