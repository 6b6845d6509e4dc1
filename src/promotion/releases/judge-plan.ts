import { compareText, describeError, InputError, isRecord } from "#base";
import { keyOf, type KubeObject } from "#kube";
import type { ConditionChange } from "#runtime";
import { promotionLabels, releaseConditions, upstreamGroup } from "../kinds/promotion-names.ts";
import { authorsNotHeld } from "../policies/find-author-policies.ts";
import { ownerIn } from "../scenarios/tested-snapshot.ts";
import { expiryLabel } from "./find-expiry.ts";
import { type AdmissionMatch, matchAdmission } from "./match-admission.ts";
import { mergeReleaseData } from "./merge-release-data.ts";
import { builtinName, readPipeline } from "./phase-pipeline.ts";
import { releasesByItself } from "./releases-by-itself.ts";

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
  /** Candidates whose registry deletes them by itself, or has done so. */
  readonly expiring?: readonly ExpiringImage[] | undefined;
}

export interface ExpiringImage {
  readonly image: string;
  /** As the label has it, such as `5d`; undefined if the image is gone. */
  readonly after?: string;
}

/** A service account of the plan's namespace, and the fields that ask for it. */
export interface PipelineAccount {
  readonly name: string;
  readonly fields: readonly string[];
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
  const match = hasTarget && facts.admissions ? matchAdmission(plan, facts.admissions) : undefined;
  if (match) conditions.push(describeMatch(match));
  const attributed = releasesByItself(plan) ? judgeAuthor(plan.metadata.labels ?? {}) : undefined;
  if (attributed) conditions.push(attributed);
  const problems: PlanProblem[] = [
    ...(facts.holdsAuthors === false ? [{ reason: "AuthorsNotHeld", message: authorsNotHeld } as const] : []),
    ...(attributed?.status === "False" ? [{ reason: "NoAuthor", message: attributed.message } as const] : []),
    ...judgeOwner(spec, facts),
    ...(hasTarget && !match ? [] : judgeAdmission(spec, match)),
    ...judgeData(spec, match, facts),
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

/** What the data of a plan and its admission say about components and images. */
function judgeData(spec: Spec, match: AdmissionMatch | undefined, facts: PlanFacts): PlanProblem[] {
  let all: ReturnType<typeof dataOf>;
  try {
    all = dataOf(spec, match);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return [{ reason: "InvalidData", message: describeError(error) }];
  }
  const mayExpire = all.every(({ allowExpiring }) => allowExpiring === true);
  const expiring = mayExpire ? [] : (facts.expiring ?? []).map(describeExpiry);
  return [...all.flatMap(({ mapping }) => judgeMapping(mapping, facts)).slice(0, 1), ...expiring];
}

/** The data of each pipeline that runs: Tekton's merge all, and one of Tenon's own in another namespace has the admission's alone. */
function dataOf(spec: Spec, match: AdmissionMatch | undefined): readonly Readonly<Record<string, unknown>>[] {
  const { data: plan } = spec;
  const own = mergeReleaseData({ release: undefined, plan, admission: undefined });
  const admitted = match?.kind === "matched" ? match.admission["spec"] : undefined;
  const managed = isRecord(admitted) ? readPipeline(admitted["pipeline"]) : undefined;
  if (!isRecord(admitted) || !managed) return [own];
  const isBuiltin = builtinName(managed) !== undefined;
  const theirs = mergeReleaseData({
    release: undefined,
    plan: isBuiltin ? undefined : plan,
    admission: admitted["data"],
  });
  return readPipeline(spec["tenantPipeline"]) ? [own, theirs] : [theirs];
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
  return missingAccounts.map(({ name, fields }) => {
    const message = `ServiceAccount ${name} of ${fields.join(" and ")} not found: create it, for example with \`tenon promote onboard\``;
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
