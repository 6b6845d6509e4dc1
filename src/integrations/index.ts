export { fieldLocator } from "./data/field-locator.ts";
export type {
  AutomationToken,
  ClusterData,
  EnvironmentData,
  Integration,
  ManagedPlace,
  NamespaceData,
  Sharding,
  ShardOverride,
  VaultSecretRef,
} from "./data/integration.ts";
export type { ManagerData } from "./data/read-integrations.ts";
export { desireIntegrations, desireValues, type NamespaceValues } from "./desired/desire-integrations.ts";
export type { DesireOptions } from "./desired/desire-options.ts";
export type { Desired, DesiredGroup, IntegrationError, IntegrationWarning } from "./desired/desired.ts";
export {
  type ExplainedField,
  type ExplainedIntegration,
  type ExplainedPlace,
  type ExplainedShard,
  explainIntegration,
  type FieldSource,
  type SaidValue,
} from "./desired/explain-integration.ts";
export { managerIdentity } from "./desired/manager-identity.ts";
export { defaultImage, defaultUpstream, parseImageTagFromRef } from "./parameters/image.ts";
export type { ParameterEntry, ParameterSource, ParameterTrail, ParameterValue } from "./parameters/parameter-trail.ts";
export { createRefResolver, type ResolveRef } from "./parameters/ref-to-tag.ts";
export { manageLease, manageRights } from "./rights.ts";
export { isInShard, type Shard, shardFromEnvironment, shardLabel } from "./shard/is-in-shard.ts";
export { splitArguments } from "./shard/split-arguments.ts";
export type { ChartValues } from "./values/chart-values.ts";
export {
  type ClusterOptions,
  clusterSources,
  type DataClusterSource,
} from "./clusters/cluster-access.ts";
export { ClusterPool } from "./clusters/cluster-pool.ts";
export { type ClusterReach, parseClusterContexts, parseClusterReaches } from "./clusters/cluster-reach.ts";
export { environmentTokens, tokenVariable } from "./clusters/environment-tokens.ts";
export { fileTokens } from "./clusters/file-tokens.ts";
export { kubernetesTokens } from "./clusters/kubernetes-tokens.ts";
export type { SecretFields, TokenQuestion, TokenStore } from "./clusters/token-store.ts";
export type { VaultLogin, VaultOptions } from "./clusters/vault-server.ts";
export { vaultTokens } from "./clusters/vault-tokens.ts";
export { type AppliedRun, applyRun, type ApplyRunOptions } from "./run/apply-run.ts";
export { configMapMemory } from "./run/config-map-memory.ts";
export { type DesiredDocument, desiredDocument, type NamespaceDocument } from "./run/desired-document.ts";
export { findOwnWorkload } from "./run/find-own-workload.ts";
export type { OwnWorkload } from "./run/guard-self.ts";
export type { Notice, PlannedRun } from "./run/look-at-clusters.ts";
export { manageIntegrations } from "./run/manage.ts";
export type { ManagedRun, ManageOptions } from "./run/manage-options.ts";
export { type ManagerEnvironment, readManagerEnvironment } from "./run/manager-environment.ts";
export { planRun, type RunOptions } from "./run/plan-run.ts";
export type { NamespaceMemory, RememberedNamespace } from "./run/remembered-namespaces.ts";
export type { LookOptions } from "./run/run-options.ts";
export { stateFile } from "./run/state-file.ts";
