export type { BackoffOptions } from "./key-backoff.ts";
export type { Condition, ConditionChange, ConditionStatus } from "./conditions.ts";
export {
  type Controller,
  type ControllerOptions,
  type ControllerRun,
  createController,
  type Reconciler,
} from "./controller.ts";
export { electionChecks } from "./election-checks.ts";
export { type EventLoopCheckOptions, watchEventLoop } from "./event-loop-check.ts";
export { filterChanges, userChanges } from "./filter-changes.ts";
export { addFinalizer, hasFinalizer, removeFinalizer } from "./finalizers.ts";
export { FreshStore } from "./fresh-store.ts";
export {
  type HealthCheck,
  type CheckReport,
  type HealthCheckResult,
  Health,
  type HealthReport,
  type HealthProbe,
} from "./health.ts";
export { type HealthServer, type HealthServerOptions, serveHealth } from "./health-server.ts";
export {
  createNamespaceScope,
  type NamespaceChoice,
  type NamespaceScope,
  type NamespaceScopeOptions,
  type ScopedSelection,
} from "./namespace-scope.ts";
export {
  createOptionalReflector,
  type OptionalReflector,
  type OptionalReflectorOptions,
} from "./optional-reflector.ts";
export type { Priority } from "./ready-queue.ts";
export { done, requeueAfter, type Result } from "./result.ts";
export { leaseRights, ownLease, ownServiceAccount, type Right, watchedNamespaces } from "./right.ts";
export { runControllers, type RunControllersOptions } from "./run-controllers.ts";
export { runTogether } from "./run-together.ts";
export { type RuntimeMetrics, runtimeMetrics } from "./runtime-metrics.ts";
export {
  type ControllerSource,
  type KeyMapping,
  mapToOwners,
  mapToReferrers,
  type OwnerKind,
} from "./controller-source.ts";
export { isTerminal, TerminalError } from "./result.ts";
export { shareReflector } from "./share-reflector.ts";
export { trackStatus, type TrackedStatus, type TrackStatusOptions } from "./track-status.ts";
export { Wakeups } from "./wakeups.ts";
export { type RunningKey, type WorkItem, WorkQueue, type WorkQueueOptions } from "./work-queue.ts";
export { preconditions, writeConditionally } from "./write-conditionally.ts";
