import { describe, expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import { judgePlan, type PlanFacts, type PlanProblem } from "./judge-plan.ts";

const tenantPipeline = {
  pipelineRef: { resolver: "builtin", params: [{ name: "name", value: "retag" }] },
  serviceAccountName: "appstudio-pipeline",
};
const answered = { [promotionLabels.standingAttribution]: "true", [promotionLabels.author]: "alice" };

function planWith(spec: object, labels: Readonly<Record<string, string>> = answered): KubeObject {
  return {
    apiVersion: "appstudio.redhat.com/v1alpha1",
    kind: "ReleasePlan",
    metadata: { name: "released", namespace: "shop", labels },
    spec: { application: "shop", ...spec },
  };
}

function annotated(annotations: Readonly<Record<string, string>>): KubeObject {
  const plan = planWith({ tenantPipeline });
  return { ...plan, metadata: { ...plan.metadata, annotations } };
}

function admissionWith(
  name: string,
  labels: Readonly<Record<string, string>> = {},
  data?: object,
  pipeline: object = tenantPipeline,
): KubeObject {
  return {
    apiVersion: "appstudio.redhat.com/v1alpha1",
    kind: "ReleasePlanAdmission",
    metadata: { name, namespace: "managed", labels },
    spec: {
      applications: ["shop"],
      origin: "shop",
      policy: "default",
      pipeline,
      ...(data ? { data } : {}),
    },
  };
}

type Amounts = Readonly<Record<string, string>>;

function quotaWith(hard: Amounts, used: Amounts, name = "objects"): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name, namespace: "shop" },
    status: { hard, used },
  };
}

const defaults = { tags: ["released"] };
const mapping = (...names: string[]) => ({ mapping: { defaults, components: names.map((name) => ({ name })) } });
const image = "quay.io/acme/web@sha256:0";
const releases = "count/releases.appstudio.redhat.com";

interface Row {
  readonly why: string;
  readonly plan: KubeObject;
  readonly facts?: Partial<PlanFacts>;
  readonly reason: PlanProblem["reason"];
  readonly says: string;
}

const misconfigurations: Row[] = [
  {
    why: "no standing attribution",
    plan: planWith({ tenantPipeline }, {}),
    reason: "NoAuthor",
    says: promotionLabels.standingAttribution,
  },
  {
    why: "an author without standing attribution",
    plan: planWith({ tenantPipeline }, { [promotionLabels.author]: "alice" }),
    reason: "NoAuthor",
    says: "no one answers",
  },
  { why: "nothing to run", plan: planWith({}), reason: "NothingToRun", says: "spec.tenantPipeline, or spec.target" },
  {
    why: "no admission",
    plan: planWith({ target: "managed" }),
    reason: "Unmatched",
    says: "no ReleasePlanAdmission of namespace managed",
  },
  {
    why: "two admissions",
    plan: planWith({ target: "managed" }),
    facts: { admissions: [admissionWith("one"), admissionWith("two")] },
    reason: "Unmatched",
    says: "managed/one, managed/two",
  },
  {
    why: "a blocked admission",
    plan: planWith({ target: "managed" }),
    facts: { admissions: [admissionWith("one", { [promotionLabels.blockReleases]: "true" })] },
    reason: "Blocked",
    says: "managed/one blocks releases",
  },
  {
    why: "a mapping without a match",
    plan: planWith({ tenantPipeline, data: mapping("wob", "db") }),
    facts: { components: ["web", "api"] },
    reason: "MappingWithoutMatch",
    says: "no component (api, web) is among those of data.mapping.components (db, wob)",
  },
  {
    why: "an empty mapping of the admission",
    plan: planWith({ target: "managed", data: mapping("web") }),
    facts: { admissions: [admissionWith("one", {}, mapping())], components: ["web"] },
    reason: "MappingWithoutMatch",
    says: "data.mapping.components (none)",
  },
  {
    why: "a mapping without a match for the tenant's pipeline, beside a good one of the admission",
    plan: planWith({ tenantPipeline, target: "managed", data: mapping("wob") }),
    facts: { admissions: [admissionWith("one", {}, mapping("web"))], components: ["web"] },
    reason: "MappingWithoutMatch",
    says: "data.mapping.components (wob)",
  },
  {
    why: "data that only an admission may set",
    plan: planWith({ tenantPipeline, data: { releaseNotes: { cpe: "x" } } }),
    reason: "InvalidData",
    says: "releaseNotes.cpe",
  },
  {
    why: "an image that expires",
    plan: planWith({ tenantPipeline }),
    facts: { expiring: [{ image, after: "5d" }] },
    reason: "ImageExpires",
    says: "expires after 5d",
  },
  {
    why: "an image that is gone",
    plan: planWith({ tenantPipeline }),
    facts: { expiring: [{ image }] },
    reason: "ImageExpires",
    says: "no longer in its registry",
  },
  {
    why: "a quota that is used up",
    plan: planWith({ tenantPipeline }),
    facts: { quotas: [quotaWith({ [releases]: "10" }, { [releases]: "10" })] },
    reason: "QuotaExhausted",
    says: "allows 10 releases.appstudio.redhat.com and 10 exist",
  },
  {
    why: "no Application",
    plan: planWith({ tenantPipeline }),
    facts: { hasOwner: false },
    reason: "OwnerNotFound",
    says: "Application shop not found",
  },
  {
    why: "no service account",
    plan: planWith({ tenantPipeline }),
    facts: { missingAccounts: [{ name: "pusher", fields: ["spec.tenantPipeline", "spec.finalPipeline"] }] },
    reason: "AccountNotFound",
    says: "ServiceAccount pusher of spec.tenantPipeline and spec.finalPipeline not found",
  },
  {
    why: "no policies that hold authors",
    plan: planWith({ tenantPipeline }),
    facts: { holdsAuthors: false },
    reason: "AuthorsNotHeld",
    says: "release-author.tenon.dev and release-plan-author.tenon.dev are not installed",
  },
];

const tagged = (...tags: string[]) => ({ mapping: { defaults: { tags } } });
const params = ["url", "revision", "pathInRepo"].map((name) => ({ name, value: "x" }));
const git = { pipelineRef: { resolver: "git", params } };
const rules = { allowsCluster: false, builtins: ["retag"] };
const fromCluster = { pipelineRef: { resolver: "cluster", params: [{ name: "namespace", value: "other" }] } };
const misspelt = { pipelineRef: { resolver: "builtin", params: [{ name: "name", value: "retagg" }] } };
const web = { components: ["web"] };

misconfigurations.push(
  {
    why: "an expression that cannot be evaluated",
    plan: planWith({ tenantPipeline }),
    facts: { expressionProblem: "annotation auto-release: a syntax error" },
    reason: "InvalidExpression",
    says: "annotation auto-release: a syntax error",
  },
  {
    why: "a rule of supersession that does not exist",
    plan: annotated({ [promotionAnnotations.supersession]: "Newest" }),
    reason: "InvalidExpression",
    says: 'expected Newer or NewerPassed, got "Newest"',
  },
  {
    why: "a pipeline of Tenon's own that does not exist",
    plan: planWith({ tenantPipeline: misspelt }),
    reason: "InvalidPipeline",
    says: 'spec.tenantPipeline of ReleasePlan shop/released: builtin pipeline "retagg" not found; use one of retag',
  },
  {
    why: "a final pipeline from another namespace of the cluster",
    plan: planWith({ tenantPipeline, finalPipeline: fromCluster }),
    reason: "InvalidPipeline",
    says: "spec.finalPipeline of ReleasePlan shop/released: the resolver cluster is not allowed",
  },
  {
    why: "a pipeline of its admission that is not allowed",
    plan: planWith({ target: "managed" }),
    facts: { admissions: [admissionWith("one", {}, undefined, fromCluster)] },
    reason: "InvalidPipeline",
    says: "spec.pipeline of ReleasePlanAdmission managed/one: the resolver cluster is not allowed",
  },
  {
    why: "a pipeline from git that does not say where",
    plan: planWith({ tenantPipeline: { pipelineRef: { resolver: "git", params: params.slice(1, 2) } } }),
    reason: "InvalidPipeline",
    says: "needs the params url, revision and pathInRepo: add url and pathInRepo",
  },
  {
    why: "an admission whose policy is absent",
    plan: planWith({ target: "managed" }),
    facts: { admissions: [admissionWith("one", {}, undefined, git)], lacksPolicy: true },
    reason: "PolicyNotFound",
    says: "EnterpriseContractPolicy managed/default, which ReleasePlanAdmission managed/one names, does not exist",
  },
  {
    why: "no service account in the namespace of its admission",
    plan: planWith({ target: "managed" }),
    facts: {
      admissions: [admissionWith("one")],
      missingAccounts: [{ name: "pusher", fields: ["spec.pipeline"], admission: admissionWith("one") }],
    },
    reason: "AccountNotFound",
    says: "ServiceAccount managed/pusher of spec.pipeline of ReleasePlanAdmission managed/one not found: its owner",
  },
  {
    why: "no tags",
    plan: planWith({ tenantPipeline }),
    facts: web,
    reason: "InvalidData",
    says: "the component web gets no tag",
  },
  {
    why: "a variable that does not exist",
    plan: planWith({ tenantPipeline, data: tagged("{{ nope }}") }),
    facts: web,
    reason: "InvalidData",
    says: "the variable {{ nope }} of the tag",
  },
  {
    why: "a tag with a slash",
    plan: planWith({ tenantPipeline, data: tagged("a/b") }),
    facts: web,
    reason: "InvalidData",
    says: "spec.tenantPipeline of ReleasePlan shop/released: ",
  },
  {
    why: "tags of its admission that are not a list",
    plan: planWith({ target: "managed" }),
    facts: { ...web, admissions: [admissionWith("one", {}, { mapping: { defaults: { tags: "released" } } })] },
    reason: "InvalidData",
    says: "spec.pipeline of ReleasePlanAdmission managed/one: data.mapping.defaults.tags",
  },
  {
    why: "signatures that it cannot require",
    plan: planWith({ tenantPipeline, data: { ...tagged("released"), verification: { keys: "" } } }),
    facts: web,
    reason: "InvalidData",
    says: "data.verification.keys",
  },
);

describe("a plan that cannot release", () => {
  test.for(misconfigurations)("says so before its first Release: $why", ({ plan, facts, reason, says }) => {
    const { problems, conditions } = judgePlan(plan, { admissions: [], pipelineRules: rules, ...facts });
    expect(problems).toEqual([{ reason, message: expect.stringContaining(says) }]);
    expect(conditions.find(({ type }) => type === "Releasable")).toEqual({
      type: "Releasable",
      status: "False",
      reason,
      message: problems[0]?.message,
    });
  });

  test("names all its problems at once", () => {
    const { problems, conditions } = judgePlan(planWith({}, {}), { admissions: [], hasOwner: false });
    expect(problems.map(({ reason }) => reason)).toEqual(["NoAuthor", "OwnerNotFound", "NothingToRun"]);
    const message = problems.map((problem) => problem.message).join("; ");
    expect(conditions.find(({ type }) => type === "Releasable")?.message).toBe(message);
  });
});

test("the order in which quotas are listed does not change the message", () => {
  const quotas = ["b", "a"].map((name) => quotaWith({ [releases]: "1" }, { [releases]: "1" }, name));
  const [one, other] = [quotas, quotas.toReversed()].map(
    (listed) => judgePlan(planWith({ tenantPipeline }), { quotas: listed }).problems,
  );
  expect(one).toHaveLength(2);
  expect(one).toEqual(other);
});

test.for([
  { why: "it re-tags in place", plan: planWith({ tenantPipeline }), facts: {} },
  {
    why: "it needs a person for each release",
    plan: planWith({ tenantPipeline }, { [promotionLabels.autoRelease]: "false" }),
    facts: {},
  },
  { why: "one admission fits", plan: planWith({ target: "managed" }), facts: { admissions: [admissionWith("one")] } },
  {
    why: "a component is mapped",
    plan: planWith({ tenantPipeline, data: mapping("web", "old") }),
    facts: { components: ["web", "api"] },
  },
  {
    why: "its own mapping does not reach the pipeline of the admission, which maps one",
    plan: planWith({ target: "managed", data: mapping("wob") }),
    facts: { admissions: [admissionWith("one", {}, mapping("web"))], components: ["web"] },
  },
  {
    why: "no component exists yet",
    plan: planWith({ tenantPipeline, data: mapping("web") }),
    facts: { components: [] },
  },
  {
    why: "tags with variables are in the parameters of its pipeline, and its images may have the labels that they name",
    plan: planWith({
      tenantPipeline: { ...tenantPipeline, params: [{ name: "tags", value: "released, v{{ labels.version }}" }] },
      data: tagged("{{git_short_sha}}", "{{ timestamp }}"),
    }),
    facts: web,
  },
  {
    why: "what a pipeline of Tekton makes of data is not known",
    plan: planWith({ tenantPipeline: git, data: tagged("a/b") }),
    facts: web,
  },
  {
    why: "a plan that a person releases needs no rule",
    plan: planWith({ tenantPipeline }, { [promotionLabels.autoRelease]: "false" }),
    facts: { expressionProblem: "a syntax error" },
  },
  {
    why: "it allows images that expire",
    plan: planWith({ tenantPipeline, data: { allowExpiring: true } }),
    facts: { expiring: [{ image, after: "5d" }] },
  },
  {
    why: "its quotas have room, or are about something else",
    plan: planWith({ tenantPipeline }),
    facts: {
      quotas: [
        quotaWith({ [releases]: "1k", pods: "1" }, { [releases]: "999", pods: "1" }),
        quotaWith({ "count/pipelineruns.tekton.dev": "1" }, { "count/pipelineruns.tekton.dev": "1" }),
        quotaWith({}, {}),
      ],
    },
  },
])("a plan can release: $why", ({ plan, facts }) => {
  const { problems, conditions } = judgePlan(plan, { admissions: [], ...facts });
  expect(problems).toEqual([]);
  expect(conditions.find(({ type }) => type === "Releasable")?.status).toBe("True");
});
