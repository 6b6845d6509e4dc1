import { describe, expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { promotionLabels, snapshotConditions } from "../kinds/promotion-names.ts";
import { readReleaseConfig } from "./release-config.ts";
import { type ReleaseFacts, validateRelease } from "./validate-release.ts";

const { author, automated, standingAttribution, blockReleases } = promotionLabels;
const builtin = { pipelineRef: { resolver: "builtin", params: [{ name: "name", value: "retag" }] } };
const byCluster = (namespace: string) => ({
  pipelineRef: {
    resolver: "cluster",
    params: [
      { name: "kind", value: "pipeline" },
      { name: "name", value: "push-to-registry" },
      { name: "namespace", value: namespace },
    ],
  },
});

function object(kind: string, name: string, spec: object, more: Partial<KubeObject> = {}): KubeObject {
  const metadata = { name, namespace: "shop", creationTimestamp: "2026-01-01T00:00:00Z", ...more.metadata };
  return { apiVersion: "appstudio.redhat.com/v1alpha1", kind, spec, ...more, metadata };
}

const planWith = (spec: object, labels: Readonly<Record<string, string>> = {}) =>
  object("ReleasePlan", "released", { application: "shop", ...spec }, { metadata: { name: "released", labels } });
const release = (labels: Readonly<Record<string, string>>, more: object = {}): KubeObject => ({
  ...object("Release", "one", { snapshot: "s", releasePlan: "released" }, { metadata: { name: "one", labels } }),
  ...more,
});
const passed = object(
  "Snapshot",
  "s",
  { application: "shop", components: [] },
  {
    status: { conditions: [{ type: snapshotConditions.tests, status: "True", reason: "Passed" }] },
  },
);
const admission = (spec: object, labels: Readonly<Record<string, string>> = {}): KubeObject =>
  object("ReleasePlanAdmission", "a", { policy: "p", ...spec }, { metadata: { name: "a", namespace: "prod", labels } });
const matched = (spec: object, isActive = true) =>
  ({ kind: "matched", admission: admission(spec, { [blockReleases]: String(!isActive) }), isActive }) as const;

const facts = (more: Partial<ReleaseFacts> = {}): ReleaseFacts => ({
  release: release({ [author]: "alice" }),
  plan: planWith({ tenantPipeline: builtin }),
  snapshot: passed,
  match: undefined,
  policy: undefined,
  config: readReleaseConfig(undefined),
  holdsAuthors: true,
  builtins: ["retag"],
  hasStarted: false,
  now: Date.parse("2026-01-01T00:01:00Z"),
  ...more,
});

test("P39: a Release by a person is attributed to that person", () => {
  expect(validateRelease(facts())).toEqual({ kind: "valid", attribution: { author: "alice" } });
});

test("P29: an automated Release is attributed to the author of its plan", () => {
  const labels = { [standingAttribution]: "true", [author]: "bob" };
  const plan = planWith({ tenantPipeline: builtin }, labels);
  const made = release({ [automated]: "true" }, { status: { automated: true } });
  expect(validateRelease(facts({ plan, release: made }))).toEqual({
    kind: "valid",
    attribution: { author: "bob", standingAuthorization: true },
  });
});

const invalidOverride = {
  type: snapshotConditions.integration,
  status: "False",
  reason: "Invalid",
  message: "Component ghost not found",
};
const byCommand = { [automated]: "true" };
const isMade = { status: { automated: true } };
const standing = { [standingAttribution]: "true", [author]: "bob" };

interface Refused {
  readonly reason: string;
  readonly facts: Partial<ReleaseFacts>;
  readonly says: string;
}

describe("a Release is refused", () => {
  const refused: readonly Refused[] = [
    {
      reason: "P30: its plan has no standing attribution",
      facts: { release: release(byCommand, isMade) },
      says: "answers for automated releases",
    },
    { reason: "P39: it has no author", facts: { release: release({}) }, says: "has no author" },
    {
      reason: "P15: its Snapshot is invalid, also if a person asks",
      facts: { snapshot: { ...passed, status: { conditions: [invalidOverride] } } },
      says: "Snapshot s is invalid: Component ghost not found",
    },
    {
      reason: "the policies that hold authors are absent",
      facts: { holdsAuthors: false },
      says: "no author can be trusted",
    },
    {
      reason: "it claims to be automated, and 5 minutes later no controller has said so",
      facts: { release: release(byCommand), now: Date.parse("2026-01-01T00:06:00Z") },
      says: "no controller created it",
    },
    {
      reason: "an automated one has data of its own",
      facts: {
        release: { ...release(byCommand, isMade), spec: { snapshot: "s", releasePlan: "released", data: { a: 1 } } },
        plan: planWith({ tenantPipeline: builtin }, standing),
      },
      says: "no spec.data",
    },
    {
      reason: "an automated one names a Snapshot that did not pass",
      facts: {
        release: release(byCommand, isMade),
        plan: planWith({ tenantPipeline: builtin }, standing),
        snapshot: { ...passed, status: {} },
      },
      says: "has not passed its tests",
    },
    { reason: "its plan does not exist", facts: { plan: undefined }, says: "ReleasePlan shop/released does not exist" },
    { reason: "its Snapshot does not exist", facts: { snapshot: undefined }, says: "Snapshot shop/s does not exist" },
    {
      reason: "the Snapshot is of another Application",
      facts: { snapshot: { ...passed, spec: { application: "other", components: [] } } },
      says: "must have the same owner",
    },
    { reason: "nothing would run", facts: { plan: planWith({}) }, says: "has nothing to run" },
    {
      reason: "P34: its admission blocks releases",
      facts: { plan: planWith({ target: "prod" }), match: matched({ pipeline: builtin }, false) },
      says: "blocks releases",
    },
    {
      reason: "the admission names a policy that does not exist, for a pipeline of Tekton",
      facts: {
        plan: planWith({ target: "prod" }),
        match: matched({ pipeline: { pipelineRef: { resolver: "git", params: [] } } }),
      },
      says: "EnterpriseContractPolicy prod/p",
    },
    {
      reason: "its pipeline is one of another namespace of the cluster",
      facts: { plan: planWith({ tenantPipeline: byCluster("other") }) },
      says: "the resolver cluster is not allowed",
    },
    {
      reason: "the admission's pipeline comes from the namespace of the plan",
      facts: {
        plan: planWith({ target: "prod" }),
        match: matched({ pipeline: byCluster("shop") }),
        policy: object("EnterpriseContractPolicy", "p", {}),
      },
      says: "the resolver cluster is not allowed",
    },
    {
      reason: "Tenon has no such pipeline",
      facts: { plan: planWith({ tenantPipeline: { pipelineRef: { resolver: "builtin", params: [] } } }) },
      says: "builtin pipeline",
    },
    {
      reason: "its pipeline asks for the account of another namespace",
      facts: { plan: planWith({ tenantPipeline: { ...builtin, serviceAccountName: "other:admin" } }) },
      says: "is not the name of a service account",
    },
  ];
  test.each(refused)("$reason", ({ facts: more, says }) => {
    const verdict = validateRelease(facts(more));
    expect(verdict).toEqual({ kind: "invalid", message: expect.stringContaining(says) });
  });
});

interface Accepted {
  readonly reason: string;
  readonly facts: Partial<ReleaseFacts>;
}

describe("a Release is valid", () => {
  const accepted: readonly Accepted[] = [
    {
      reason: "if its pipeline is one of the plan's own namespace",
      facts: { plan: planWith({ tenantPipeline: byCluster("shop") }) },
    },
    {
      reason: "while its admission blocks releases, once it has started",
      facts: { plan: planWith({ target: "prod" }), match: matched({ pipeline: builtin }, false), hasStarted: true },
    },
  ];
  test.each(accepted)("$reason", ({ facts: more }) => {
    expect(validateRelease(facts(more))).toMatchObject({ kind: "valid" });
  });
});

test("a Release waits up to 5 minutes for the controller that it says made it", () => {
  expect(validateRelease(facts({ release: release(byCommand) }))).toEqual({ kind: "waiting", afterMs: 4 * 60_000 });
});
