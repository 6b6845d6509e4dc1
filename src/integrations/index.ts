export type {
  AutomationToken,
  ClusterData,
  EnvironmentData,
  Integration,
  ManagedTarget,
  NamespaceData,
  Sharding,
  ShardOverride,
  VaultSecretRef,
} from "./data/integration.ts";
export { fieldLocator } from "./data/integration-finding.ts";
export type { ManagerData } from "./data/read-integrations.ts";
export { type DesiredPlace, desiredPlaces } from "./desired/desired-places.ts";
export { computeDesired, computeValues, type NamespaceValues } from "./desired/compute-desired.ts";
export type {
  Desired,
  DesiredNamespace,
  DesiredOptions,
  IntegrationError,
  IntegrationWarning,
} from "./desired/desired.ts";
export { type DesiredDocument, desiredDocument, type NamespaceDocument } from "./desired/desired-document.ts";
export {
  type ExplainedField,
  type ExplainedIntegration,
  type ExplainedShard,
  type ExplainedTarget,
  explainIntegration,
  type ExplainOptions,
  type FieldSource,
  type SaidValue,
} from "./desired/explain-integration.ts";
export { createRefResolver, parseImageTagFromRef, type ResolveRef } from "./desired/image-tags.ts";
export { desiredFolder, publishedCode } from "./desired/desired-folder.ts";
export type { DesiredStore } from "./desired/kept-desired.ts";
export type {
  ParameterEntry,
  ParameterGiver,
  ParameterSource,
  ParameterTrail,
  ParameterValue,
} from "./desired/resolve-parameters.ts";
export {
  type RenderedIntegration,
  type RenderedNamespace,
  renderIntegration,
  type RenderIntegrationOptions,
} from "./desired/render-integration.ts";
export { splitArguments } from "./desired/split-arguments.ts";
export { ClusterPool } from "./clusters/cluster-pool.ts";
export { type ClusterReach, parseClusterContexts, parseClusterReaches } from "./clusters/cluster-reach.ts";
export { ownSources } from "./clusters/own-sources.ts";
export { type ClusterUse, clusterUses } from "./clusters/cluster-uses.ts";
export { type ClusterOptions, clusterSources, type DataClusterSource } from "./clusters/data-clusters.ts";
export {
  environmentTokens,
  fileTokens,
  kubernetesTokens,
  type SecretFields,
  type TokenRequest,
  type TokenStore,
  tokenVariable,
} from "./clusters/token-stores.ts";
export type { VaultLogin, VaultOptions } from "./clusters/vault-server.ts";
export { vaultTokens } from "./clusters/vault-tokens.ts";
export { configMapMemory } from "./survey/config-map-memory.ts";
export type { NamespaceMemory, RememberedNamespace } from "./survey/remembered-namespaces.ts";
export { stateFile } from "./survey/state-file.ts";
export type { Notice, SurveyOptions } from "./survey/survey-clusters.ts";
export { findOwnWorkload, type OwnWorkload } from "./plan/guard-self.ts";
export {
  type PlanDesiredOptions,
  planFromData,
  type PlanFromDataOptions,
  type PlannedRun,
} from "./plan/plan-desired.ts";
export { ClusterAnswers } from "./plan/cluster-answers.ts";
export { viewPlan, type ViewedPlan } from "./plan/recall-plan.ts";
export { annotateObjects, type MarkedObject, objectsToResume, objectsToSuspend } from "./suspend/annotate-objects.ts";
export { type Suspended, type SuspendedIntegration } from "./suspend/find-suspended.ts";
export { suspensionMetrics } from "./suspend/suspension-state.ts";
export { type AppliedPlan, applyPlan, type ApplyPlanOptions } from "./apply/apply-plan.ts";
export { describeTarget, type PendingWait } from "./apply/decide-next.ts";
export { parseRollout, type Rollout } from "./order/plan-rollout.ts";
export { manageIntegrations, type ManageOptions } from "./manage/manage-integrations.ts";
export type { ManagedRun } from "./manage/managed-run.ts";
export { type History, historyIn } from "./history/history.ts";
export {
  type HistoryContext,
  type HistoryCounts,
  historyEntry,
  type HistoryEntry,
  type HistoryObject,
  type HistorySource,
} from "./history/history-entry.ts";
export { changedSince, type DifferentObject, differentNow, withSuspension } from "./history/rollback.ts";
export {
  type Notification,
  notificationEvents,
  type NotificationEvent,
  type NotifiedChange,
  type Problem,
} from "./notify/notification.ts";
export { Notifier } from "./notify/notifier.ts";
export { Webhook, type WebhookOptions } from "./notify/webhook.ts";
export { PushGateway, type PushGatewayOptions, readPushGateway } from "./push/push-gateway.ts";
export { configMapText, fileText, type TextStore } from "./state/text-store.ts";
export { type ManagerEnvironment, readManagerEnvironment } from "./manage/manager-environment.ts";
export { isInShard, type Shard, shardFromEnvironment, shardLabel } from "./is-in-shard.ts";
export { manageLease, manageRights } from "./manage-rights.ts";
export { defaultImage, defaultUpstream, historyName, managerIdentity } from "./manager-defaults.ts";
export type { ChartValues } from "./desired/render-targets.ts";
export { sumUpTrouble, troubleOf } from "./survey/workload-trouble.ts";
