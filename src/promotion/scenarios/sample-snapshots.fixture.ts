import type { KubeObject } from "#kube";
import { copiedPacPrefix, promotionLabels } from "../kinds/promotion-names.ts";
import { readSnapshot, snapshotKind, type TestedSnapshot } from "./tested-snapshot.ts";
import { readScenario, type TestScenario } from "./test-scenario.ts";
import { IntegrationTestScenario } from "../kinds/integration-test-scenario.ts";

const digest = `sha256:${"0123456789abcdef".repeat(4)}`;

interface SnapshotSample {
  readonly name?: string;
  readonly type?: string | undefined;
  readonly component?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly createdAt?: string;
}

/** A Snapshot of the application shop; by default of a push to the component web. */
export function sampleSnapshotObject(sample: SnapshotSample = {}): KubeObject {
  const { name = "shop-1", type = "component", component = "web", createdAt = "2026-01-02T03:04:05Z" } = sample;
  return {
    ...snapshotKind,
    metadata: {
      namespace: "t1",
      name,
      uid: `uid-${name}`,
      creationTimestamp: createdAt,
      labels: {
        ...(type === "none" ? {} : { [promotionLabels.snapshotType]: type }),
        ...(type === "component" ? { [promotionLabels.component]: component } : {}),
        [promotionLabels.application]: "shop",
        ...sample.labels,
      },
      annotations: { ...sample.annotations },
    },
    spec: {
      application: "shop",
      components: [{ name: component, containerImage: `reg.local:5000/acme/${component}@${digest}` }],
    },
  };
}

export function sampleSnapshot(sample: SnapshotSample = {}): TestedSnapshot {
  return readSnapshot(sampleSnapshotObject(sample));
}

/** Labels and annotations of a pull request's Snapshot, as Pipelines-as-Code and the build give them. */
export const pullRequestLabels = {
  [`${copiedPacPrefix}event-type`]: "pull_request",
  [`${copiedPacPrefix}pull-request`]: "7",
} as const;

export function sampleScenario(name: string, spec: object = {}, metadata: object = {}): TestScenario {
  return readScenario(sampleScenarioObject(name, spec, metadata));
}

export function sampleScenarioObject(name: string, spec: object = {}, metadata: object = {}): KubeObject {
  return {
    apiVersion: IntegrationTestScenario.apiVersion,
    kind: IntegrationTestScenario.kind,
    metadata: { namespace: "t1", name, uid: `uid-${name}`, ...metadata },
    spec: {
      application: "shop",
      resolverRef: { resolver: "cluster", params: [{ name: "name", value: "e2e" }], resourceKind: "pipeline" },
      ...spec,
    },
  };
}
