import { compareText, describeError, InputError, isRecord } from "#base";
import { keyOf, type KubeObject } from "#kube";
import type { ConditionChange } from "#runtime";
import { promotionLabels, releaseConditions, upstreamGroup } from "../kinds/promotion-names.ts";
import { authorsNotHeld } from "../policies/find-author-policies.ts";
import { findDataProblem } from "../retag/check-release-data.ts";
import { ownerIn } from "../scenarios/tested-snapshot.ts";
import { expiryLabel } from "./find-expiry.ts";
import {
  describeMissingPolicy,
  describePlace,
  judgeReference,
  judgeSource,
  type PipelineRules,
  pipelinesOf,
  type PlacedPipeline,
} from "./judge-pipelines.ts";
import { type AdmissionMatch, matchTarget } from "./match-admission.ts";
import { mergeReleaseData } from "./merge-release-data.ts";
import { builtinName, readPipeline } from "./phase-pipeline.ts";
import type { ReleasePhase } from "./phase-runner.ts";
import { specOf } from "./release-state.ts";
import { releasesByItself } from "./releases-by-itself.ts";
import { supersessionRuleOf } from "./supersession-rule.ts";

/** What is known around a plan. What is undefined is not judged. */
export interface PlanFacts {
  readonly admissions?: readonly KubeObject[] | undefined;
  /** Whether its Application or ComponentGroup exists. */
  readonly hasOwner?: boolean | undefined;
  /** The names of the Application's Components. */
  readonly components?: readonly string[] | undefined;
  /** The ResourceQuotas of its namespace. */
  readonly quotas?: readonly KubeObject[] | undefined;
  /** Service accounts of its pipelines that do not exist. */
  readonly missingAccounts?: readonly PipelineAccount[] | undefined;
  /** Whether the policies that hold authors are installed. */
  readonly holdsAuthors?: boolean | undefined;
  /** Why its expression has no answer, whatever the Snapshot. */
  readonly expressionProblem?: string | undefined;
  /** Whether the EnterpriseContractPolicy of its admission is absent, and needed. */
  readonly lacksPolicy?: boolean | undefined;
  /** Which pipelines run at all. */
  readonly pipelineRules?: PipelineRules | undefined;
  /** Candidates whose registry deletes them by itself, or has done so. */
  readonly expiring?: readonly ExpiringImage[] | undefined;
}

export interface ExpiringImage {
  readonly image: string;
  /** As the label has it, such as `5d`; undefined if the image is gone. */
  readonly after?: string;
}

/** A service account of pipelines, and the fields that ask for it. */
export interface PipelineAccount {
  readonly name: string;
  readonly fields: readonly string[];
  /** Of an admission, where it is not the namespace of the plan. */
  readonly admission?: KubeObject;
}

/** Why a Release by the plan would fail: one word for programs, and what a person must change. */
export interface PlanProblem {
  readonly reason:
    | "AuthorsNotHeld"
    | "NoAuthor"
    | "Unmatched"
    | "Blocked"
    | "NothingToRun"
    | "OwnerNotFound"
    | "MappingWithoutMatch"
    | "InvalidData"
    | "InvalidExpression"
    | "InvalidPipeline"
    | "PolicyNotFound"
    | "AccountNotFound"
    | "ImageExpires"
    | "QuotaExhausted";
  readonly message: string;
}

export interface PlanJudgement {
  readonly conditions: readonly ConditionChange[];
  readonly releasePlanAdmission: { readonly name: string; readonly active: boolean } | undefined;
  readonly problems: readonly PlanProblem[];
}

/** What is known about a plan before its first Release: whether that can succeed, and what a person must change if not. */
export function judgePlan(plan: KubeObject, facts: PlanFacts): PlanJudgement {
  const spec = isRecord(plan["spec"]) ? plan["spec"] : {};
  const conditions: ConditionChange[] = [];
  const hasTarget = typeof spec["target"] === "string" && spec["target"] !== "";
  const match = facts.admissions && matchTarget(plan, facts.admissions);
  if (match) conditions.push(describeMatch(match));
  const attributed = releasesByItself(plan) ? judgeAuthor(plan.metadata.labels ?? {}) : undefined;
  if (attributed) conditions.push(attributed);
  const problems: PlanProblem[] = [
    ...(facts.holdsAuthors === false ? [{ reason: "AuthorsNotHeld", message: authorsNotHeld } as const] : []),
    ...(attributed?.status === "False" ? [{ reason: "NoAuthor", message: attributed.message } as const] : []),
    ...(attributed ? judgeSelection(plan, facts) : []),
    ...judgeOwner(spec, facts),
    ...(hasTarget && !match ? [] : judgeAdmission(spec, match)),
    ...judgePipelines(plan, match, facts),
    ...judgeData(plan, match, facts),
    ...judgeAccounts(facts),
    ...judgeQuotas(spec, facts),
  ];
  conditions.push(summarize(problems));
  const active = match?.kind === "matched" && match.isActive;
  return {
    conditions,
    releasePlanAdmission: match?.kind === "matched" ? { name: keyOf(match.admission), active } : undefined,
    problems,
  };
}

function summarize(problems: readonly PlanProblem[]): ConditionChange {
  const type = releaseConditions.releasable;
  const [first] = problems;
  if (!first)
    return { type, status: "True", reason: "Succeeded", message: "nothing is known that keeps it from releasing" };
  return { type, status: "False", reason: first.reason, message: problems.map(({ message }) => message).join("; ") };
}

function describeMatch(match: AdmissionMatch): ConditionChange {
  const type = releaseConditions.matched;
  if (match.kind === "unmatched") return { type, status: "False", reason: "Matched", message: match.message };
  const suffix = match.isActive ? "" : `, which blocks releases by its label ${promotionLabels.blockReleases}`;
  const message = `ReleasePlanAdmission ${keyOf(match.admission)} fits${suffix}`;
  return { type, status: "True", reason: "Matched", message };
}

function judgeAuthor(labels: Readonly<Record<string, string>>): ConditionChange & { readonly message: string } {
  const type = releaseConditions.attributed;
  const author = labels[promotionLabels.author];
  if (labels[promotionLabels.standingAttribution] === "true" && author) {
    const message = `${author} answers for releases that this plan makes by itself`;
    return { type, status: "True", reason: "Succeeded", message };
  }
  const message = `no one answers for releases that this plan makes by itself, so that each of them will fail: set the label ${promotionLabels.standingAttribution}: "true", or ${promotionLabels.autoRelease}: "false"`;
  return { type, status: "False", reason: "NoAuthor", message };
}

type Spec = Readonly<Record<string, unknown>>;

/** By what a plan chooses Snapshots. */
function judgeSelection(plan: KubeObject, { expressionProblem }: PlanFacts): PlanProblem[] {
  const problems = expressionProblem === undefined ? [] : [expressionProblem];
  try {
    supersessionRuleOf(plan);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    problems.push(describeError(error));
  }
  return problems.map((message) => ({ reason: "InvalidExpression", message }));
}

function judgePipelines(
  plan: KubeObject,
  match: AdmissionMatch | undefined,
  { pipelineRules: rules, lacksPolicy = false }: PlanFacts,
): PlanProblem[] {
  const refused = pipelinesOf(plan, match).flatMap((placed) => {
    const source = rules && judgeSource(placed, rules);
    return source ?? judgeReference(placed) ?? [];
  });
  const problems = refused.map((message): PlanProblem => ({ reason: "InvalidPipeline", message }));
  if (!lacksPolicy || match?.kind !== "matched") return problems;
  const message = `${describeMissingPolicy(match.admission)}: its owner must create it`;
  return [...problems, { reason: "PolicyNotFound", message }];
}

function judgeOwner(spec: Spec, { hasOwner }: PlanFacts): PlanProblem[] {
  const owner = ownerIn(spec);
  if (hasOwner !== false || !owner) return [];
  const message = `${owner.kind} ${owner.name} not found, so that no Snapshot is made for it: create it, or delete the plan`;
  return [{ reason: "OwnerNotFound", message }];
}

function judgeAdmission(spec: Spec, match: AdmissionMatch | undefined): PlanProblem[] {
  const hasTenant = readPipeline(spec["tenantPipeline"]) !== undefined;
  if (!match) {
    if (hasTenant) return [];
    return [{ reason: "NothingToRun", message: "it has nothing to run: set spec.tenantPipeline, or spec.target" }];
  }
  if (match.kind === "unmatched") return [{ reason: "Unmatched", message: match.message }];
  const key = keyOf(match.admission);
  if (!match.isActive) {
    const message = `ReleasePlanAdmission ${key} blocks releases: its owner must set the label ${promotionLabels.blockReleases}: "false"`;
    return [{ reason: "Blocked", message }];
  }
  const managed = isRecord(match.admission["spec"]) ? match.admission["spec"]["pipeline"] : undefined;
  if (hasTenant || readPipeline(managed)) return [];
  const message = `it has no spec.tenantPipeline, and ReleasePlanAdmission ${key} no spec.pipeline: set one of them`;
  return [{ reason: "NothingToRun", message }];
}

/** What the data of a plan and its admission say about components, tags and images. */
function judgeData(plan: KubeObject, match: AdmissionMatch | undefined, facts: PlanFacts): PlanProblem[] {
  let all: readonly PipelineData[];
  try {
    all = dataOf(plan, match);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return [{ reason: "InvalidData", message: describeError(error) }];
  }
  const mayExpire = all.every(({ data }) => data["allowExpiring"] === true);
  const expiring = mayExpire ? [] : (facts.expiring ?? []).map(describeExpiry);
  return [...all.flatMap((each) => judgeInstructions(each, facts)).slice(0, 1), ...expiring];
}

interface PipelineData {
  readonly data: Readonly<Record<string, unknown>>;
  /** The pipeline of Tenon's own that works by it; what those of Tekton make of it is not known. */
  readonly builtin: PlacedPipeline | undefined;
}

/** The data of each pipeline that runs: Tekton's merge all, and one of Tenon's own in another namespace has the admission's alone. */
function dataOf(plan: KubeObject, match: AdmissionMatch | undefined): readonly PipelineData[] {
  const { data: planned } = specOf(plan);
  const placed = pipelinesOf(plan, match);
  const builtin = (phase: ReleasePhase) =>
    placed.find((one) => one.phase === phase && builtinName(one.pipeline) !== undefined);
  const data = mergeReleaseData({ release: undefined, plan: planned, admission: undefined });
  const own = { data, builtin: builtin("tenant") };
  if (match?.kind !== "matched" || placed.every(({ phase }) => phase !== "managed")) return [own];
  const theirs = builtin("managed");
  const merged = mergeReleaseData({
    release: undefined,
    plan: theirs ? undefined : planned,
    admission: specOf(match.admission)["data"],
  });
  const managed = { data: merged, builtin: theirs };
  return placed.some(({ phase }) => phase === "tenant") ? [own, managed] : [managed];
}

function judgeInstructions({ data, builtin }: PipelineData, facts: PlanFacts): PlanProblem[] {
  const unmapped = judgeMapping(data["mapping"], facts);
  if (unmapped.length > 0 || !builtin || builtinName(builtin.pipeline) !== "retag") return unmapped;
  const { components = [] } = facts;
  const problem = findDataProblem({ data, params: builtin.pipeline.params, components });
  if (problem === undefined) return [];
  return [{ reason: "InvalidData", message: `${describePlace(builtin)}: ${problem}` }];
}

/** Of a mapping that names components, only those are released; one without a common name releases nothing. */
function judgeMapping(mapping: unknown, { components = [] }: PlanFacts): PlanProblem[] {
  const listed = isRecord(mapping) ? mapping["components"] : undefined;
  if (!Array.isArray(listed) || components.length === 0) return [];
  const names = listed.filter(isRecord).map(({ name }) => String(name));
  if (names.some((name) => components.includes(name))) return [];
  const message = `no component (${sorted(components)}) is among those of data.mapping.components (${sorted(names) || "none"}), so that nothing would be released: correct the names, or leave the list out`;
  return [{ reason: "MappingWithoutMatch", message }];
}

function sorted(names: readonly string[]): string {
  return names.toSorted(compareText).join(", ");
}

function describeExpiry({ image, after }: ExpiringImage): PlanProblem {
  const message =
    after === undefined
      ? `image ${image} is no longer in its registry: build it again`
      : `image ${image} expires after ${after} and is not released: build it without the label ${expiryLabel}, or set data.allowExpiring: true`;
  return { reason: "ImageExpires", message };
}

function judgeAccounts({ missingAccounts = [] }: PlanFacts): PlanProblem[] {
  return missingAccounts.map(({ name, fields, admission }) => {
    const message = admission
      ? `ServiceAccount ${admission.metadata.namespace}/${name} of ${fields.join(" and ")} of ReleasePlanAdmission ${keyOf(admission)} not found: its owner must create it`
      : `ServiceAccount ${name} of ${fields.join(" and ")} not found: create it, for example with \`tenon promote onboard\``;
    return { reason: "AccountNotFound", message };
  });
}

const runResource = "pipelineruns.tekton.dev";
const countedResources = [`snapshots.${upstreamGroup}`, `releases.${upstreamGroup}`, runResource];

/** A quota that is used up refuses Snapshots, Releases and their runs. Sorted, so that the order of a list changes nothing. */
function judgeQuotas(spec: Spec, { quotas = [] }: PlanFacts): PlanProblem[] {
  const tenant = readPipeline(spec["tenantPipeline"]);
  const needsRuns = tenant !== undefined && builtinName(tenant) === undefined;
  return quotas
    .toSorted((left, right) => compareText(left.metadata.name, right.metadata.name))
    .flatMap((quota) =>
      exhaustedIn(quota)
        .filter(({ resource }) => needsRuns || resource !== runResource)
        .map(({ resource, limit, count }): PlanProblem => {
          const message = `ResourceQuota ${quota.metadata.name} allows ${limit} ${resource} and ${count} exist, so that no other can be created: raise it, or delete old ones`;
          return { reason: "QuotaExhausted", message };
        }),
    );
}

interface ExhaustedAmount {
  readonly resource: string;
  readonly limit: number;
  readonly count: number;
}

/** Of what releases need, that which a quota allows no more of. */
export function exhaustedIn({ status }: KubeObject): ExhaustedAmount[] {
  const { hard, used } = isRecord(status) ? status : {};
  return countedResources.flatMap((resource) => {
    const limit = amountIn(hard, resource);
    const count = amountIn(used, resource);
    return limit === undefined || count === undefined || count < limit ? [] : [{ resource, limit, count }];
  });
}

function amountIn(amounts: unknown, resource: string): number | undefined {
  const text = isRecord(amounts) ? amounts[`count/${resource}`] : undefined;
  const [, digits, thousands] = /^(\d+)(k?)$/.exec(String(text)) ?? [];
  return digits === undefined ? undefined : Number(digits) * (thousands === "k" ? 1_000 : 1);
}
