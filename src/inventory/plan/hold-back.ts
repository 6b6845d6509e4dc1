import { type Action, type Plan, planId, type PlanOptions, type PlanRefusal } from "./plan.ts";

/** Takes the writes out that are to be held back. */
export function holdBack(
  actions: readonly Action[],
  ask: PlanOptions["holdBack"],
): { readonly actions: readonly Action[]; readonly refusals: readonly PlanRefusal[] } {
  if (!ask) return { actions, refusals: [] };
  const refusals: PlanRefusal[] = [];
  const kept = actions.filter(({ cluster, namespace, apiVersion, kind, name, action, attribution }) => {
    const held = ask({ cluster, namespace, attribution });
    if (held) refusals.push({ cluster, namespace, apiVersion, kind, name, action, ...held, isError: false });
    return held === undefined;
  });
  return { actions: kept, refusals };
}

/** The same for a plan that was made before it was known what to hold back. */
export function holdBackFrom(plan: Plan, ask: PlanOptions["holdBack"]): Plan {
  const { actions, refusals } = holdBack(plan.actions, ask);
  if (refusals.length === 0) return plan;
  const { id: _, ...rest } = { ...plan, actions, refusals: [...plan.refusals, ...refusals] };
  return { ...rest, id: planId(rest) };
}
