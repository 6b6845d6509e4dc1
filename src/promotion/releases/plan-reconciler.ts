import { isRecord } from "#base";
import { done, type Reconciler } from "#runtime";
import { releaseConditions } from "../kinds/promotion-names.ts";
import { snapshotCondition, trackUpstreamStatus } from "../snapshots/snapshot-condition.ts";
import { judgePlan } from "./judge-plan.ts";
import type { ReleaseDeps } from "./release-deps.ts";

/** Says on a plan what would make its releases fail, before there is one. */
export function planReconciler(deps: ReleaseDeps): Reconciler {
  return async function reconcilePlan(key) {
    const plan = deps.plans.get(key);
    if (!plan || plan.metadata.deletionTimestamp !== undefined) return done;
    const { conditions, releasePlanAdmission } = judgePlan(plan, deps.admissions.list());
    const status = trackUpstreamStatus(plan, deps.client, deps);
    for (const condition of conditions) status.setCondition(condition);
    for (const type of [releaseConditions.matched, releaseConditions.attributed]) {
      const isGone = snapshotCondition(plan, type) && !conditions.some((condition) => condition.type === type);
      if (isGone) status.removeCondition(type);
    }
    const before = isRecord(plan["status"]) ? plan["status"]["releasePlanAdmission"] : undefined;
    if (before !== undefined || releasePlanAdmission) status.set({ releasePlanAdmission });
    await status.write();
    if (!status.isGone) deps.plans.note(status.object);
    return done;
  };
}
