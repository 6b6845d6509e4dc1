import { silentLogger, systemClock } from "#base";
import { defaultFieldManager } from "#kube";
import type { ClusterClients } from "../current/cluster-clients.ts";
import type { Action, Plan } from "../plan/plan.ts";
import type { Outcome } from "./outcome.ts";
import { realizeCluster } from "./realize-cluster.ts";
import type { RealizeOptions, Settings } from "./settings.ts";

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
): Promise<Outcome[]> {
  const settings: Settings = {
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
  const outcomes = new Map<Action, Outcome>();
  for (const part of parts) for (const [action, outcome] of part) outcomes.set(action, outcome);
  return plan.actions.flatMap((action) => outcomes.get(action) ?? []);
}
