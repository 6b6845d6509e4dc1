export { ClusterClients, type ClusterSource, type Unreachable } from "./current/cluster-clients.ts";
export {
  type CurrentState,
  fetchCurrentState,
  type FetchOptions,
  type ManagedNamespace,
} from "./current/fetch-current-state.ts";
export { resolveKind } from "./current/resolve-kind.ts";
export { publishMetrics } from "./inventory-metrics.ts";
export { describePlan, sumUp } from "./plan/describe-plan.ts";
export type { Action, ActionKind, ObjectAddress, Plan, PlanError, Refusal, ShownChange } from "./plan/plan.ts";
export { planId } from "./plan/plan-id.ts";
export { planChanges } from "./plan/plan-changes.ts";
export type { DeletionLimits, Place, PlanOptions } from "./plan/plan-options.ts";
export { completePlan, parsePlan, serialisePlan } from "./plan/serialise-plan.ts";
export { type ApiCall, isFailure, type Outcome, type OutcomeState } from "./realize/outcome.ts";
export { type Realized, realizeData, type RealizeDataOptions, succeeded } from "./realize/realize-data.ts";
export { realizePlan } from "./realize/realize-plan.ts";
export type { RealizeOptions } from "./realize/settings.ts";
export { validatePlanned } from "./realize/validate-planned.ts";
export { validateRealized, type ValidateOptions } from "./realize/validate-realized.ts";
export { OpenshiftResource, type ResourceOptions } from "./resource/openshift-resource.ts";
export {
  clusterScope,
  type DesiredResource,
  type InventoryEntry,
  type InventoryError,
  type KindState,
  ResourceInventory,
} from "./resource-inventory.ts";
