import { type Action, type Plan, planId, type PlanRefusal, type Prerequisite } from "#inventory";

/** The plan with other actions and further refusals, and so with another id. */
export function revisePlan(plan: Plan, actions: readonly Action[], refusals: readonly PlanRefusal[] = []): Plan {
  const { id: _, ...rest } = { ...plan, actions, refusals: [...plan.refusals, ...refusals] };
  return { ...rest, id: planId(rest) };
}

/** Whether an action changes what runs; one that only writes our marks does not. */
export function isChange({ action }: Action): boolean {
  return action === "create" || action === "update" || action === "replace";
}

/** An action that is not carried out because of something else, which is the failure and is reported by itself. */
export function refusalOf(action: Action, reason: string, next: string): PlanRefusal {
  const { cluster, namespace, apiVersion, kind, name } = action;
  return { cluster, namespace, apiVersion, kind, name, action: action.action, reason, next, isError: false };
}

/** The action with more to wait for. */
export function waitingFor(action: Action, more: readonly Prerequisite[]): Action {
  return more.length === 0 ? action : { ...action, waitsFor: [...(action.waitsFor ?? []), ...more] };
}
