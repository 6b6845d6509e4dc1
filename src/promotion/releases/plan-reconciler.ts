import { isRecord } from "#base";
import type { KubeObject } from "#kube";
import { done, type Reconciler, requeueAfter } from "#runtime";
import { releaseConditions } from "../kinds/promotion-names.ts";
import { snapshotCondition, trackUpstreamStatus } from "../snapshots/snapshot-condition.ts";
import { findExpressionProblem } from "./find-expression-problem.ts";
import { judgePlan, type PlanFacts } from "./judge-plan.ts";
import { isPolicyMissing } from "./load-release-facts.ts";
import { type AdmissionMatch, matchTarget } from "./match-admission.ts";
import type { ReleaseDeps } from "./release-deps.ts";

type PlanDeps = Pick<
  ReleaseDeps,
  "client" | "clock" | "plans" | "admissions" | "config" | "builtins" | "holdsAuthors" | "mayWrite"
>;

/** What stores know around a plan and the admission that fits. */
export type FactsAroundPlan = (
  plan: KubeObject,
  match: AdmissionMatch | undefined,
) => Pick<PlanFacts, "hasOwner" | "components" | "quotas" | "missingAccounts" | "expiring">;

/** Policies are not watched, neither those of Kubernetes nor EnterpriseContractPolicies. */
const againMs = 60_000;

/** Says on a plan what would make its releases fail, before there is one. */
export function planReconciler(deps: PlanDeps, factsAround: FactsAroundPlan): Reconciler {
  return async function reconcilePlan(key, signal) {
    const plan = deps.plans.get(key);
    if (!plan || plan.metadata.deletionTimestamp !== undefined) return done;
    const admissions = deps.admissions.list();
    const match = matchTarget(plan, admissions);
    const facts = factsAround(plan, match);
    const holdsAuthors = await deps.holdsAuthors(signal);
    const lacksPolicy = match?.kind === "matched" && (await isPolicyMissing(match.admission, deps, signal));
    const { conditions, releasePlanAdmission } = judgePlan(plan, {
      ...facts,
      admissions,
      holdsAuthors,
      lacksPolicy,
      expressionProblem: await findExpressionProblem(plan),
      pipelineRules: { allowsCluster: deps.config().debug, builtins: deps.builtins },
    });
    const status = trackUpstreamStatus(plan, deps.client, deps);
    for (const condition of conditions) {
      // While images are looked at, what was found before stays: a restart must not take it back for a moment.
      const isOpen = condition.type === releaseConditions.releasable && facts.expiring === undefined;
      if (!isOpen || !snapshotCondition(plan, condition.type)) status.setCondition(condition);
    }
    for (const type of [releaseConditions.matched, releaseConditions.attributed]) {
      const isGone = snapshotCondition(plan, type) && !conditions.some((condition) => condition.type === type);
      if (isGone) status.removeCondition(type);
    }
    const before = isRecord(plan["status"]) ? plan["status"]["releasePlanAdmission"] : undefined;
    if (before !== undefined || releasePlanAdmission) status.set({ releasePlanAdmission });
    await status.write();
    if (!status.isGone) deps.plans.note(status.object);
    return holdsAuthors && !lacksPolicy ? done : requeueAfter(againMs);
  };
}
