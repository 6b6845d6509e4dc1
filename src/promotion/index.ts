export { composeComponents, currentCandidate } from "./builds/candidate-list.ts";
export { createSnapshot } from "./builds/create-snapshot.ts";
export { declareBuild, type DeclaredBuild, type DeclaredSnapshot } from "./builds/declare-build.ts";
export { intakeMetrics } from "./builds/intake-metrics.ts";
export { createTesting, type TestingOptions } from "./create-testing.ts";
export { createEnvironments, type EnvironmentsOptions } from "./create-environments.ts";
export { createIntake, type IntakeOptions, type RequireChains } from "./create-intake.ts";
export { createOnboarding, type OnboardingOptions } from "./create-onboarding.ts";
export { createReleases, type ReleasesOptions } from "./create-releases.ts";
export { driverRights } from "./driver/driver-rights.ts";
export { claimTemplateAnnotation, environmentDriver } from "./driver/driver-names.ts";
export { type DriverOptions, runDriver } from "./driver/run-driver.ts";
export { RemoteClusters } from "./environments/cluster-provider.ts";
export { environmentMetrics } from "./environments/environment-metrics.ts";
export { environmentName } from "./environments/environment-provider.ts";
export {
  environmentClusterRole,
  environmentKinds,
  environmentViewerClusterRole,
  installEnvironments,
  spaceKinds,
} from "./environments/install-environments.ts";
export { rememberInstallation } from "./environments/installation.ts";
export { kubeconfigSecretName } from "./environments/kubeconfig-secret.ts";
export { Application } from "./kinds/application.ts";
export { Component } from "./kinds/component.ts";
export { ComponentGroup } from "./kinds/component-group.ts";
export { environmentAnnotations, environmentFinalizer, environmentLabels } from "./kinds/environment-names.ts";
export { type ClaimPhase, EphemeralClaim, ownerKinds } from "./kinds/ephemeral-claim.ts";
export { SpaceBinding } from "./kinds/space-binding.ts";
export { SpaceRequest } from "./kinds/space-request.ts";
export { environmentPolicies } from "./policies/environment-policies.ts";
export { spaceBindingPolicy } from "./policies/space-binding-policy.ts";
export { EphemeralClass } from "./kinds/ephemeral-class.ts";
export { IntegrationTestScenario } from "./kinds/integration-test-scenario.ts";
export { upstreamKinds } from "./kinds/promotion-kinds.ts";
export {
  promotionAnnotations,
  promotionFinalizers,
  promotionLabels,
  releaseConditions,
  snapshotConditions,
  upstreamGroup,
} from "./kinds/promotion-names.ts";
export { Propagation, type StageStatus } from "./kinds/propagation.ts";
export { Release } from "./kinds/release.ts";
export { ReleasePlan } from "./kinds/release-plan.ts";
export { ReleasePlanAdmission } from "./kinds/release-plan-admission.ts";
export { releaseServiceConfigName, ReleaseServiceConfig } from "./kinds/release-service-config.ts";
export { Snapshot } from "./kinds/snapshot.ts";
export { taskRunClaimPolicy } from "./policies/task-run-claim-policy.ts";
export { installPromotion, promotionPolicies } from "./policies/install-promotion.ts";
export { releaseMetrics } from "./releases/release-metrics.ts";
export { readReleaseSettings } from "./releases/release-settings.ts";
export { conditionState, isReleaseFinished } from "./releases/release-state.ts";
export { validateRelease } from "./releases/validate-release.ts";
export { readReportSettings, type ReportSettings } from "./reports/report-settings.ts";
export { timeoutsOf } from "./scenarios/run-timeouts.ts";
export { parseTestStatuses, type TestStatusEntry } from "./scenarios/test-statuses.ts";
export { readSnapshot } from "./scenarios/tested-snapshot.ts";
export { type AskedOverride, type OverridePlan, planOverride } from "./snapshots/plan-override.ts";
export { readSweepLimits } from "./snapshots/sweep-limits.ts";
export { testingMetrics } from "./testing-metrics.ts";
export {
  createKonfluxWatch,
  type KonfluxService,
  type KonfluxWatch,
  type KonfluxWatchOptions,
} from "./konflux-watch.ts";
export { installingPart } from "./installing-part.ts";
export {
  defaultPromoteParts,
  promoteLeases,
  type PromotePart,
  promoteParts,
  promoteRights,
  promoteRivals,
} from "./promote-parts.ts";
export {
  createPromotionSources,
  type PromotionSources,
  type PromotionSourcesOptions,
} from "./promotion-sources.ts";
export {
  type ChangeHint,
  createPropagation,
  type PropagationController,
  type PropagationOptions,
} from "./propagation/create-propagation.ts";
export { propagationMetrics } from "./propagation/propagation-metrics.ts";
export { findStage, planRollback, type RollbackPlan } from "./propagation/plan-rollback.ts";
export { shortDigest } from "./propagation/proposal-text.ts";
export {
  componentNames,
  planPropagation,
  type PlanPropagationDeps,
  type StagePlan,
} from "./propagation/plan-propagation.ts";
export { type ActingAccount, actAs, readAccountCredentials } from "./retag/account-secrets.ts";
export { loadRetagRequest } from "./retag/load-retag-request.ts";
export { RepositoryLocks } from "./retag/repository-locks.ts";
export { retagMetrics } from "./retag/retag-metrics.ts";
export { retagPipeline, type RetagPipelineOptions } from "./retag/retag-pipeline.ts";
export { type RetagDeps, type RetagOutcome, retagRelease, type RetagRequest } from "./retag/retag-release.ts";
export { onboardingName } from "./onboarding/default-plan.ts";
export { findHeldObjects, removePromotionFinalizers } from "./onboarding/find-held-objects.ts";
export { type OffboardingPlan, planOffboarding } from "./onboarding/plan-offboarding.ts";
export { onboardingManager, type OnboardingStep, planOnboarding } from "./onboarding/plan-onboarding.ts";
export { type GitopsSettings, renderTenant, type TenantSettings } from "./onboarding/render-tenant.ts";
export { authorLabelOf } from "./policies/requester.ts";
export { findExpiry } from "./releases/find-expiry.ts";
export { type ExpiringImage, judgePlan, type PlanFacts, type PlanProblem } from "./releases/judge-plan.ts";
export { planFactsReader } from "./releases/plan-facts.ts";
export { type ClaimView, viewClaim } from "./views/claim-view.ts";
export { type DatedDigests, describePropagation, type ExplainedPropagation } from "./views/describe-propagation.ts";
export { type ExplainedSnapshot, type ExplainedTest, explainSnapshot } from "./views/explain-snapshot.ts";
export { environmentsOf, type EnvironmentView, knownDigests } from "./views/environments-of.ts";
export { findRollouts, type LiveRollout, rolloutsOf } from "./views/find-rollouts.ts";
export { chainOf, digestsIn, type ReleaseChain } from "./views/release-chain.ts";
export { type ReleaseView, type ShownReleaseState, shownReleaseStates, viewRelease } from "./views/release-view.ts";
export {
  isTrouble,
  readSnapshotState,
  type SnapshotState,
  snapshotStates,
  type SnapshotView,
} from "./views/snapshot-state.ts";
