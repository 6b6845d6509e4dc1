import { type Clock, isRecord, type Logger, type Metrics } from "#base";
import type { Kind } from "#crd";
import { createReflector, type KubeClient, type KubeObject, type ReflectorOptions } from "#kube";
import { type ControllerSource, createOptionalReflector, shareReflector } from "#runtime";
import { byApplication, byBuildRun, byComponent } from "./builds/build-reconciler.ts";
import { buildRunKind, isBuildRun, pipelineRunDefinition } from "./builds/build-run.ts";
import { Application } from "./kinds/application.ts";
import { Component } from "./kinds/component.ts";
import { promotionLabels } from "./kinds/promotion-names.ts";
import { Release } from "./kinds/release.ts";
import { ReleasePlan } from "./kinds/release-plan.ts";
import { Snapshot } from "./kinds/snapshot.ts";
import { releasePair } from "./releases/decide-auto-release.ts";
import { byReleasedSnapshot } from "./releases/release-deps.ts";
import { phaseOf } from "./scenarios/conclude-tests.ts";
import { supersessionSet } from "./scenarios/is-superseded.ts";
import { ownerIn, readSnapshot } from "./scenarios/tested-snapshot.ts";
import { byOwner, bySnapshot, bySupersession, ownerKey } from "./scenarios/testing-deps.ts";
import { snapshotKeyOf } from "./scenarios/tests-reconciler.ts";
import { byGroup } from "./snapshots/group-snapshot.ts";
import { bySweptNamespace } from "./snapshots/sweep-reconciler.ts";

/** What the controllers of builds, tests and releases watch, more than one of them each; in one process they share it. */
export interface PromotionSources {
  readonly applications: ControllerSource["reflector"];
  readonly components: ControllerSource["reflector"];
  readonly snapshots: ControllerSource["reflector"];
  readonly plans: ControllerSource["reflector"];
  readonly releases: ControllerSource["reflector"];
  /** Their metadata. */
  readonly namespaces: ControllerSource["reflector"];
  /** Those that build and those that test, as far as the parts of the process need them. */
  readonly pipelineRuns: ControllerSource["reflector"];
}

export interface PromotionSourcesOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: Metrics;
  /** Only this namespace; default all. */
  readonly namespace?: string | undefined;
}

/** Objects by their namespace, which is that of a tenant. */
export const byTenant = "namespace";

/** Reports of tests begin while the build runs. */
const runTypes = { builds: "build", tests: "build,test" } as const;

export function createPromotionSources(
  { client, clock, random, log, metrics, namespace }: PromotionSourcesOptions,
  parts: readonly (keyof typeof runTypes)[] = [],
): PromotionSources {
  const shared = { client, clock, random, log, ...(metrics ? { metrics } : {}) };
  const reflect = ({ crdName, apiVersion, kind }: Kind, indexers: ReflectorOptions["indexers"] = {}) =>
    shareReflector(
      createOptionalReflector({
        ...shared,
        definition: crdName,
        selection: { apiVersion, kind, namespace },
        indexers,
      }),
    );
  return {
    applications: reflect(Application, { [byTenant]: indexByNamespace }),
    components: reflect(Component, { [byApplication]: indexByOwner }),
    snapshots: reflect(Snapshot, {
      [byApplication]: indexByOwner,
      [bySweptNamespace]: indexByNamespace,
      [byComponent]: indexByLabel(promotionLabels.component),
      [byBuildRun]: indexByLabel(promotionLabels.buildRun),
      [byGroup]: indexByLabel(promotionLabels.pullRequestGroup),
      [byOwner]: ownersOf,
      [bySupersession]: setsOf,
    }),
    plans: reflect(ReleasePlan, { [byOwner]: ownersOf, [byTenant]: indexByNamespace }),
    releases: reflect(Release, {
      [byReleasedSnapshot]: (release) => [releasePair(release).snapshot],
      [bySweptNamespace]: indexByNamespace,
    }),
    namespaces: shareReflector(
      createReflector({
        ...shared,
        selection: {
          apiVersion: "v1",
          kind: "Namespace",
          metadataOnly: true,
          ...(namespace === undefined ? {} : { fieldSelector: `metadata.name=${namespace}` }),
        },
      }),
    ),
    pipelineRuns: shareReflector(
      createOptionalReflector({
        ...shared,
        definition: pipelineRunDefinition,
        selection: {
          ...buildRunKind,
          namespace,
          labelSelector: `${promotionLabels.runType} in (${parts.map((part) => runTypes[part]).join()})`,
        },
        indexers: {
          [byComponent]: (run) => (isBuildRun(run) ? indexByLabel(promotionLabels.component)(run) : []),
          [byGroup]: (run) => (isBuildRun(run) ? indexByLabel(promotionLabels.pullRequestGroup)(run) : []),
          [bySnapshot]: testedBy,
        },
      }),
    ),
  };
}

export function indexByNamespace({ metadata: { namespace } }: KubeObject): readonly string[] {
  return namespace === undefined ? [] : [namespace];
}

/** `namespace/application` of a Component or a Snapshot. */
export function indexByOwner({ metadata, spec }: KubeObject): readonly string[] {
  const application = isRecord(spec) ? spec["application"] : undefined;
  return typeof application === "string" && application !== "" ? [`${metadata.namespace}/${application}`] : [];
}

export function indexByLabel(label: string): (object: KubeObject) => readonly string[] {
  return ({ metadata: { namespace, labels } }) => {
    const value = labels?.[label];
    return value === undefined ? [] : [`${namespace}/${value}`];
  };
}

/** The owner of a Snapshot, a scenario or a ReleasePlan. */
export function ownersOf({ metadata: { namespace = "" }, spec }: KubeObject): string[] {
  const owner = isRecord(spec) ? ownerIn(spec) : undefined;
  return owner ? [ownerKey(namespace, owner)] : [];
}

/** The set of Snapshots of which only the newest is tested. */
export function setsOf(snapshot: KubeObject): string[] {
  const set = phaseOf(snapshot) === "invalid" ? undefined : supersessionSet(readSnapshot(snapshot));
  return set === undefined ? [] : [set];
}

/** The Snapshot that a run tests. */
export function testedBy(run: KubeObject): string[] {
  const key = isBuildRun(run) ? undefined : snapshotKeyOf(run);
  return key === undefined ? [] : [key];
}
