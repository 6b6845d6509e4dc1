import { compareText } from "#base";
import { keyOf, type KubeObject } from "#kube";
import { done, type FreshStore, type Reconciler } from "#runtime";
import { promotionLabels, releaseConditions } from "../kinds/promotion-names.ts";
import { trackUpstreamStatus } from "../snapshots/snapshot-condition.ts";
import { judgeRetries } from "./judge-retries.ts";
import { matchAdmission } from "./match-admission.ts";
import type { ReleaseDeps } from "./release-deps.ts";

interface AdmissionDeps extends Pick<ReleaseDeps, "client" | "clock" | "plans" | "config" | "mayWrite"> {
  readonly admissions: FreshStore;
}

/** Says on an admission which plans release through it, and whether its pipeline is repeated. */
export function admissionReconciler(deps: AdmissionDeps): Reconciler {
  return async function reconcileAdmission(key) {
    const admission = deps.admissions.get(key);
    if (!admission || admission.metadata.deletionTimestamp !== undefined) return done;
    const plans = plansOf(admission, deps);
    const status = trackUpstreamStatus(admission, deps.client, deps);
    const message = plans.length === 0 ? "no ReleasePlan fits" : `ReleasePlans that fit: ${plans.length}`;
    const isMatched = plans.length > 0 ? "True" : "False";
    status.setCondition({ type: releaseConditions.matched, status: isMatched, reason: "Matched", message });
    const releasePlans = plans.map((plan) => ({
      name: keyOf(plan),
      active: plan.metadata.labels?.[promotionLabels.autoRelease] === "true",
    }));
    status.set({ releasePlans, retryInfo: judgeRetries(admission, plans, deps.config()) });
    await status.write();
    if (!status.isGone) deps.admissions.note(status.object);
    return done;
  };
}

/** The plans whose only match is this admission, by name. */
function plansOf(admission: KubeObject, { plans, admissions }: AdmissionDeps): readonly KubeObject[] {
  const { uid } = admission.metadata;
  const all = admissions.list();
  return plans
    .list()
    .filter((plan) => {
      const match = matchAdmission(plan, all);
      return match.kind === "matched" && match.admission.metadata.uid === uid;
    })
    .toSorted((one, other) => compareText(keyOf(one), keyOf(other)));
}
