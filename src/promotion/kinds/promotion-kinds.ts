import type { Kind } from "#crd";
import { Application } from "./application.ts";
import { Component } from "./component.ts";
import { ComponentGroup } from "./component-group.ts";
import { IntegrationTestScenario } from "./integration-test-scenario.ts";
import { Release } from "./release.ts";
import { ReleasePlan } from "./release-plan.ts";
import { ReleasePlanAdmission } from "./release-plan-admission.ts";
import { ReleaseServiceConfig } from "./release-service-config.ts";
import { Snapshot } from "./snapshot.ts";

/** The kinds that Konflux has too, and may have installed. */
export const upstreamKinds: readonly Kind[] = [
  Application,
  Component,
  Snapshot,
  IntegrationTestScenario,
  ComponentGroup,
  ReleasePlan,
  ReleasePlanAdmission,
  Release,
  ReleaseServiceConfig,
];
