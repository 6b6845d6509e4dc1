import type { ClusterClients } from "../current/cluster-clients.ts";
import type { Plan } from "../plan/plan.ts";
import { planChanges } from "../plan/plan-changes.ts";
import type { PlanOptions } from "../plan/plan-options.ts";
import type { ResourceInventory } from "../resource-inventory.ts";
import { isFailure, type Outcome } from "./outcome.ts";
import { realizePlan } from "./realize-plan.ts";
import type { RealizeOptions } from "./settings.ts";

export interface RealizeDataOptions extends RealizeOptions, PlanOptions {
  readonly inventory: ResourceInventory;
  readonly clusters: ClusterClients;
}

export interface Realized {
  readonly plan: Plan;
  readonly outcomes: readonly Outcome[];
  /** Whether nothing is in error: neither in the plan nor in carrying it out. */
  readonly isSuccess: boolean;
}

/** Decides what has to change and changes it, in one go. Who wants to look before uses `planChanges` and `realizePlan`. */
export async function realizeData(options: RealizeDataOptions, signal: AbortSignal): Promise<Realized> {
  const plan = planChanges(options.inventory, options);
  for (const { cluster, namespace, kind, name, reason, next, isError } of plan.refusals) {
    options.log?.[isError ? "error" : "warn"](`[${cluster}/${namespace}] ${reason}`, { kind, name, next });
  }
  const outcomes = await realizePlan(plan, options.clusters, options, signal);
  return { plan, outcomes, isSuccess: succeeded(plan, outcomes) };
}

/** Whether a run may end with exit code 0. */
export function succeeded(plan: Pick<Plan, "errors" | "refusals">, outcomes: readonly Outcome[]): boolean {
  return plan.errors.length === 0 && !plan.refusals.some(({ isError }) => isError) && !outcomes.some(isFailure);
}
