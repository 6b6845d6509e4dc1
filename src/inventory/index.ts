export { ClusterClients, type ClusterSource, type Unreachable } from "./current/cluster-clients.ts";
export {
  type CurrentState,
  fetchCurrentState,
  type FetchOptions,
  type ManagedNamespace,
} from "./current/fetch-current-state.ts";
export { findDrift } from "./compare/compare-objects.ts";
export { type IgnoredDifference, parseJsonPointer } from "./compare/ignored-fields.ts";
export { findAutoscalers } from "./current/find-autoscalers.ts";
export { resolveKind } from "./current/resolve-kind.ts";
export { publishMetrics } from "./inventory-metrics.ts";
export { describePlan, groupRefusals, sumUp } from "./plan/describe-plan.ts";
export {
  type Action,
  type ActionKind,
  type DeletionLimits,
  type ObjectAddress,
  type AttributedTarget,
  type Target,
  type Plan,
  type PlanError,
  planId,
  type PlanOptions,
  type PlanRefusal,
  type Prerequisite,
  type ShownChange,
} from "./plan/plan.ts";
export { holdBackFrom } from "./plan/hold-back.ts";
export { planChanges } from "./plan/plan-changes.ts";
export { completePlan, parsePlan, serialisePlan } from "./plan/serialise-plan.ts";
export { type ApiCall, isFailure, type ActionOutcome, type OutcomeState } from "./realize/outcome.ts";
export { type Realized, realizeData, type RealizeDataOptions, realizePlan, succeeded } from "./realize/realize-plan.ts";
export { healthOf } from "./realize/object-health.ts";
export { podTrouble } from "./realize/pod-trouble.ts";
export { type Readiness, readinessOf, takesTime, updatedAt } from "./realize/readiness.ts";
export type { RealizeOptions } from "./realize/realize-options.ts";
export { validatePlanned } from "./realize/validate-planned.ts";
export { type ValidateOptions, validateRealized } from "./realize/validate-realized.ts";
export {
  callerOf,
  foreignCaller,
  liveAttribution,
  ownerOf,
  renderedAttribution,
  movedFromAnnotation,
  suspendAnnotation,
  type Attribute,
  type Claimant,
  type Marks,
} from "./object/attribution.ts";
export { plainBody } from "./object/exact.ts";
export { ManagedObject, type ManagedObjectOptions } from "./object/managed-object.ts";
export {
  clusterScope,
  type DesiredObject,
  type InventoryEntry,
  type InventoryError,
  type KindState,
  ResourceInventory,
} from "./resource-inventory.ts";
