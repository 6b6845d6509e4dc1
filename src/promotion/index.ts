export { composeComponents, currentCandidate } from "./builds/candidate-list.ts";
export { createSnapshot } from "./builds/create-snapshot.ts";
export { declareBuild, type DeclaredBuild, type DeclaredSnapshot } from "./builds/declare-build.ts";
export { createTesting, type TestingOptions } from "./create-testing.ts";
export { createIntake, type IntakeOptions, type RequireChains } from "./create-intake.ts";
export { createReleases, type ReleasesOptions } from "./create-releases.ts";
export { Application } from "./kinds/application.ts";
export { Component } from "./kinds/component.ts";
export { ComponentGroup } from "./kinds/component-group.ts";
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
export { installPromotion } from "./policies/install-promotion.ts";
export { readReportSettings, type ReportSettings } from "./reports/report-settings.ts";
export { parseTestStatuses, type TestStatusEntry } from "./scenarios/test-statuses.ts";
export { readSnapshot } from "./scenarios/tested-snapshot.ts";
export { type AskedOverride, type OverridePlan, planOverride } from "./snapshots/plan-override.ts";
export { testingMetrics } from "./testing-metrics.ts";
export { createKonfluxWatch, type KonfluxWatch, type KonfluxWatchOptions } from "./konflux-watch.ts";
export { defaultPromoteParts, promoteLeases, type PromotePart, promoteParts, promoteRights } from "./promote-parts.ts";
export { createPromotionSources, type PromotionSources, type PromotionSourcesOptions } from "./promotion-sources.ts";
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
