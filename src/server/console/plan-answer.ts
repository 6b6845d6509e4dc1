import { hash } from "node:crypto";
import { compareText, formatDuration } from "#base";
import { describeTarget, type Notice, type PlannedRun } from "#integrations";
import { type Action, groupRefusals, type Plan, type PlanError, planId, type PlanRefusal, sumUp } from "#inventory";
import { withoutRole } from "./refused.ts";
import type { ConsolePlan, ConsoleAction, ConsoleProblem } from "./plan-api.ts";

/** A page with more of them is of no use to people. */
export const actionsOfPage = 500;

/** A plan as the pages show it: what `describePlan` prints, as a value. `actions` are all that the plan has. */
export function planAnswer(
  { plan, desired }: Pick<PlannedRun, "plan" | "desired">,
  about: Pick<ConsolePlan, "data" | "commit" | "whyNot"> & { readonly warnings: readonly Notice[] },
): ConsolePlan {
  const { warnings, whyNot, data, commit } = about;
  const counts: ConsolePlan["counts"] = {};
  for (const { action } of plan.actions) counts[action] = (counts[action] ?? 0) + 1;
  return {
    id: plan.id,
    fingerprint: fingerprintOf(plan),
    data,
    ...(commit === undefined ? {} : { commit }),
    summary: sumUp(plan),
    actions: plan.actions.map(showAction),
    total: plan.actions.length,
    counts,
    refusals: showRefusals(plan.refusals),
    errors: plan.errors.map(showError),
    warnings: warnings.map(({ what, where, next }) => problemOf(what, where, next)),
    integrations: [...desired.names].toSorted(compareText),
    canApply: whyNot === undefined && plan.actions.length > 0,
    ...(whyNot === undefined ? {} : { whyNot }),
  };
}

/**
 * Equal for two plans that do the same to the same objects. Where Kubernetes counts the changes of an object, reports of controllers,
 * which change its resourceVersion every few seconds during a rollout, make no other plan of it.
 */
export function fingerprintOf(plan: Plan): string {
  const { id: _, ...rest } = plan;
  const actions = rest.actions.map(
    (action): Action => (action.expected?.generation === undefined ? action : withoutVersion(action, action.expected)),
  );
  return hash("sha256", planId({ ...rest, actions })).slice(0, 32);
}

function withoutVersion(action: Action, expected: NonNullable<Action["expected"]>): Action {
  return { ...action, expected: { ...expected, resourceVersion: "" } };
}

function showAction({
  cluster,
  namespace,
  kind,
  name,
  action,
  reason,
  diff,
  attribution,
  waitsFor = [],
}: Action): ConsoleAction {
  return {
    cluster,
    namespace,
    kind,
    name,
    action,
    reason,
    ...(attribution === undefined ? {} : { integration: attribution }),
    diff: [...diff],
    waitsFor: waitsFor.map((each) => {
      const { soakMs = 0 } = each;
      return `${describeTarget(each)} to be healthy${soakMs === 0 ? "" : ` for ${formatDuration(soakMs)}`}`;
    }),
  };
}

/** All three guards of deletions say so: of mass deletions, of moves, and of Tenon itself. */
const confirms = /confirm the deletions$/;

function showRefusals(refusals: readonly PlanRefusal[]): ConsolePlan["refusals"] {
  return groupRefusals(refusals).map(({ what, objects, next }) => ({
    what: withoutRole(what),
    objects: [...objects],
    next,
    isConfirmable: confirms.test(next),
  }));
}

function showError({ cluster, namespace, attribution, what, next }: PlanError): ConsoleProblem {
  const where = [[cluster, namespace].filter(Boolean).join("/"), attribution].filter(Boolean).join(" ");
  return problemOf(what, where === "" ? undefined : where, next);
}

function problemOf(what: string, where: string | undefined, next: string | undefined): ConsoleProblem {
  return {
    what: withoutRole(what),
    ...(where === undefined ? {} : { where }),
    ...(next === undefined ? {} : { next }),
  };
}
