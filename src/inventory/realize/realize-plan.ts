import { silentLogger, systemClock } from "#base";
import { defaultFieldManager } from "#kube";
import type { ClusterClients } from "../current/cluster-clients.ts";
import { planChanges } from "../plan/plan-changes.ts";
import type { Action, Plan, PlanOptions } from "../plan/plan.ts";
import { isFailure, type ActionOutcome } from "./outcome.ts";
import { realizeCluster } from "./realize-cluster.ts";
import type { RealizeOptions, RealizeSettings } from "./realize-options.ts";
import type { ResourceInventory } from "../resource-inventory.ts";

/**
 * Carries a plan out, and is the only place that writes to clusters. Clusters do not wait for each other, and what fails concerns
 * nothing else, except that of the same thing nothing is deleted then. Never rejects because of an object: there is an outcome for each
 * action, in the order of the plan. An abort leaves the rest undone, as `skipped`.
 */
export async function realizePlan(
  plan: Plan,
  clusters: ClusterClients,
  options: RealizeOptions,
  signal: AbortSignal,
): Promise<ActionOutcome[]> {
  const settings: RealizeSettings = {
    ...options,
    plan,
    clusters,
    dryRun: options.dryRun ?? false,
    threadPoolSize: options.threadPoolSize ?? 10,
    fieldManager: options.fieldManager ?? defaultFieldManager,
    forceConflicts: options.forceConflicts ?? false,
    waitForNamespace: options.waitForNamespace ?? false,
    waitMs: options.waitMs ?? 120_000,
    log: options.log ?? silentLogger,
    clock: options.clock ?? systemClock,
  };
  const byCluster = Map.groupBy(plan.actions, ({ cluster }) => cluster);
  const parts = await Promise.all(
    [...byCluster].map(([cluster, actions]) => realizeCluster(cluster, actions, settings, signal)),
  );
  const outcomes = new Map<Action, ActionOutcome>();
  for (const part of parts) for (const [action, outcome] of part) outcomes.set(action, outcome);
  return plan.actions.flatMap((action) => outcomes.get(action) ?? []);
}

export interface RealizeDataOptions extends RealizeOptions, PlanOptions {
  readonly inventory: ResourceInventory;
  readonly clusters: ClusterClients;
}

export interface Realized {
  readonly plan: Plan;
  readonly outcomes: readonly ActionOutcome[];
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
export function succeeded(plan: Pick<Plan, "errors" | "refusals">, outcomes: readonly ActionOutcome[]): boolean {
  return plan.errors.length === 0 && !plan.refusals.some(({ isError }) => isError) && !outcomes.some(isFailure);
}
