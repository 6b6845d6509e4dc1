import { compareText, isRecord } from "#base";
import { keyOf, type KubeObject } from "#kube";
import { promotionLabels } from "../kinds/promotion-names.ts";
import { ownerIn } from "../scenarios/tested-snapshot.ts";

export type AdmissionMatch =
  | { readonly kind: "matched"; readonly admission: KubeObject; readonly isActive: boolean }
  /** The message says what is missing, and where. */
  | { readonly kind: "unmatched"; readonly message: string };

/** The admission of the namespace `spec.target` that a plan fits: the one that its label names, or the only one. */
export function matchAdmission(plan: KubeObject, admissions: readonly KubeObject[]): AdmissionMatch {
  const { namespace = "", name, labels = {} } = plan.metadata;
  const spec = isRecord(plan["spec"]) ? plan["spec"] : {};
  const target = typeof spec["target"] === "string" ? spec["target"] : "";
  const here = admissions.filter(({ metadata }) => metadata.namespace === target);
  const named = labels[promotionLabels.releasePlanAdmission];
  if (named !== undefined && named !== "") {
    const admission = here.find(({ metadata }) => metadata.name === named);
    if (admission && originOf(admission) === namespace) return matched(admission);
    // Whether it exists is the business of the other namespace.
    return unmatched(
      `no ReleasePlanAdmission ${target}/${named}, which the label of plan ${name} names, has the origin ${namespace}`,
    );
  }
  const fitting = here.filter((admission) => originOf(admission) === namespace && admits(admission, spec));
  const [only, ...others] = fitting;
  if (!only) {
    const owner = ownerIn(spec);
    return unmatched(
      `no ReleasePlanAdmission of namespace ${target} has the origin ${namespace} and ${owner?.kind ?? "owner"} ${owner?.name ?? ""}; create one there`,
    );
  }
  if (others.length === 0) return matched(only);
  const names = fitting.map(keyOf).toSorted(compareText).join(", ");
  return unmatched(
    `several ReleasePlanAdmissions fit: ${names}; name one of them by the label ${promotionLabels.releasePlanAdmission} of the plan`,
  );
}

/** The same for a plan that need not have a target: undefined then. */
export function matchTarget(plan: KubeObject, admissions: readonly KubeObject[]): AdmissionMatch | undefined {
  const target = isRecord(plan["spec"]) ? plan["spec"]["target"] : undefined;
  return typeof target === "string" && target !== "" ? matchAdmission(plan, admissions) : undefined;
}

function matched(admission: KubeObject): AdmissionMatch {
  const isActive = admission.metadata.labels?.[promotionLabels.blockReleases] !== "true";
  return { kind: "matched", admission, isActive };
}

function unmatched(message: string): AdmissionMatch {
  return { kind: "unmatched", message };
}

function originOf({ spec }: KubeObject): string {
  return isRecord(spec) && typeof spec["origin"] === "string" ? spec["origin"] : "";
}

function admits({ spec }: KubeObject, plan: Readonly<Record<string, unknown>>): boolean {
  const owner = ownerIn(plan);
  const list = isRecord(spec) && owner ? spec[owner.kind === "Application" ? "applications" : "componentGroups"] : [];
  return owner !== undefined && Array.isArray(list) && list.includes(owner.name);
}
