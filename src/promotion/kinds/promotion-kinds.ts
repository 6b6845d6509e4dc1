import type { Kind } from "#crd";
import { Application } from "./application.ts";
import { Component } from "./component.ts";
import { ComponentGroup } from "./component-group.ts";
import { IntegrationTestScenario } from "./integration-test-scenario.ts";
import { Snapshot } from "./snapshot.ts";

/** The kinds that Konflux has too, and may have installed. */
export const upstreamKinds: readonly Kind[] = [
  Application,
  Component,
  Snapshot,
  IntegrationTestScenario,
  ComponentGroup,
];
