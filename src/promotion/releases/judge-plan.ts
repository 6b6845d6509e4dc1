import { isRecord } from "#base";
import { keyOf, type KubeObject } from "#kube";
import type { ConditionChange } from "#runtime";
import { promotionAnnotations, promotionLabels, releaseConditions } from "../kinds/promotion-names.ts";
import { matchAdmission } from "./match-admission.ts";

export interface PlanJudgement {
  readonly conditions: readonly ConditionChange[];
  readonly releasePlanAdmission: { readonly name: string; readonly active: boolean } | undefined;
}

/** What is known about a plan before its first Release: whether an admission fits, and whether someone answers for it. */
export function judgePlan(plan: KubeObject, admissions: readonly KubeObject[]): PlanJudgement {
  const { labels = {}, annotations = {} } = plan.metadata;
  const spec = isRecord(plan["spec"]) ? plan["spec"] : {};
  const conditions: ConditionChange[] = [];
  const hasTarget = typeof spec["target"] === "string" && spec["target"] !== "";
  const match = hasTarget ? matchAdmission(plan, admissions) : undefined;
  const type = releaseConditions.matched;
  if (match?.kind === "unmatched") {
    conditions.push({ type, status: "False", reason: "Matched", message: match.message });
  } else if (match) {
    const suffix = match.isActive ? "" : `, which blocks releases by its label ${promotionLabels.blockReleases}`;
    const message = `ReleasePlanAdmission ${keyOf(match.admission)} fits${suffix}`;
    conditions.push({ type, status: "True", reason: "Matched", message });
  }
  const isAutomatic = labels[promotionLabels.autoRelease] !== "false" || annotations[promotionAnnotations.autoRelease];
  if (isAutomatic) conditions.push(judgeAuthor(labels));
  const active = match?.kind === "matched" && match.isActive;
  return {
    conditions,
    releasePlanAdmission: match?.kind === "matched" ? { name: keyOf(match.admission), active } : undefined,
  };
}

function judgeAuthor(labels: Readonly<Record<string, string>>): ConditionChange {
  const type = releaseConditions.attributed;
  const author = labels[promotionLabels.author];
  if (labels[promotionLabels.standingAttribution] === "true" && author) {
    const message = `${author} answers for releases that this plan makes by itself`;
    return { type, status: "True", reason: "Succeeded", message };
  }
  const message = `no one answers for releases that this plan makes by itself, so that each of them will fail: set the label ${promotionLabels.standingAttribution}: "true", or ${promotionLabels.autoRelease}: "false"`;
  return { type, status: "False", reason: "NoAuthor", message };
}
