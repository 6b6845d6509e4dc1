import { isRecord } from "#base";
import type { KubeObject } from "#kube";
import { done, type Reconciler, requeueAfter } from "#runtime";
import { releaseConditions } from "../kinds/promotion-names.ts";
import { snapshotCondition, trackUpstreamStatus } from "../snapshots/snapshot-condition.ts";
import { judgePlan, type PlanFacts } from "./judge-plan.ts";
import type { ReleaseDeps } from "./release-deps.ts";

type PlanDeps = Pick<ReleaseDeps, "client" | "clock" | "plans" | "admissions" | "holdsAuthors" | "mayWrite">;

/** What is known around a plan, besides admissions and policies. */
export type FactsAroundPlan = (plan: KubeObject) => Omit<PlanFacts, "admissions" | "holdsAuthors">;

/** Policies are not watched. */
const againMs = 60_000;

/** Says on a plan what would make its releases fail, before there is one. */
export function planReconciler(deps: PlanDeps, factsAround: FactsAroundPlan): Reconciler {
  return async function reconcilePlan(key, signal) {
    const plan = deps.plans.get(key);
    if (!plan || plan.metadata.deletionTimestamp !== undefined) return done;
    const facts = factsAround(plan);
    const admissions = deps.admissions.list();
    const holdsAuthors = await deps.holdsAuthors(signal);
    const { conditions, releasePlanAdmission } = judgePlan(plan, { ...facts, admissions, holdsAuthors });
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
    return holdsAuthors ? done : requeueAfter(againMs);
  };
}
