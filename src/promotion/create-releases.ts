import { keyOf, type KubeObject, type ObjectSelection, type ReflectorOptions } from "#kube";
import {
  type Controller,
  type ControllerSource,
  createController,
  createOptionalReflector,
  filterChanges,
  FreshStore,
  shareReflector,
  Wakeups,
} from "#runtime";
import { pipelineRunDefinition } from "./builds/build-run.ts";
import { promotionAnnotations, promotionLabels, snapshotConditions } from "./kinds/promotion-names.ts";
import { ReleasePlanAdmission } from "./kinds/release-plan-admission.ts";
import { ReleaseServiceConfig, releaseServiceConfigName } from "./kinds/release-service-config.ts";
import { findAuthorPolicies } from "./policies/find-author-policies.ts";
import { createPromotionSources, type PromotionSources, type PromotionSourcesOptions } from "./promotion-sources.ts";
import { autoReleaseReconciler } from "./releases/auto-release-reconciler.ts";
import { type BuiltinPipeline, BuiltinRunner } from "./releases/builtin-runner.ts";
import { createPlanControllers } from "./releases/create-plan-controllers.ts";
import { findRunSettings, type RunSettingsSources } from "./releases/find-run-settings.ts";
import { builtinName } from "./releases/phase-pipeline.ts";
import { readReleaseConfig, type ReleaseConfig } from "./releases/release-config.ts";
import { byReleaseOwner, ownerKeysOf, type ReleaseDeps } from "./releases/release-deps.ts";
import { releaseMetrics } from "./releases/release-metrics.ts";
import { releaseReconciler } from "./releases/release-reconciler.ts";
import { retagPipeline, type RetagPipelineOptions } from "./retag/retag-pipeline.ts";
import { byRelease, releaseKeysOf, tektonReleaseRunner } from "./runners/tekton/release-runner.ts";
import { resolveRevision } from "./runners/tekton/resolve-revision.ts";
import { pipelineRunKind } from "./runners/tekton/test-pipeline-run.ts";
import { snapshotCondition } from "./snapshots/snapshot-condition.ts";

export interface ReleasesOptions extends PromotionSourcesOptions, RunSettingsSources {
  /** How many Snapshots or Releases are looked after at once. */
  readonly concurrency?: number;
  /** Where the ReleaseServiceConfig is; default: there is none. */
  readonly serviceNamespace?: string;
  /** Pipelines of Tenon's own, by name; default: `retag`. */
  readonly builtins?: ReadonlyMap<string, BuiltinPipeline>;
  /** How registries are reached. */
  readonly registries?: NonNullable<RetagPipelineOptions["settings"]>;
  /** The commit that a revision of a repository stands for; default: git is asked. */
  readonly resolveRevision?: typeof resolveRevision;
  readonly mayWrite?: () => boolean;
  /** Watches that other controllers of the process share; default: own ones. */
  readonly sources?: Omit<PromotionSources, "pipelineRuns">;
}

/** Slow registries keep only each other waiting. */
const mostBuiltinsAtOnce = 32;

/** The controllers that release Snapshots, for `runControllers`. */
export function createReleases(options: ReleasesOptions): readonly Controller[] {
  const { client, clock, random, log, metrics, namespace, concurrency = 32, mayWrite = () => true } = options;
  const shared = { client, clock, random, log, ...(metrics ? { metrics } : {}) };
  const reflect = (definition: string, selection: ObjectSelection, indexers: ReflectorOptions["indexers"] = {}) =>
    shareReflector(createOptionalReflector({ ...shared, definition, selection, indexers }));
  const sources = options.sources ?? createPromotionSources(options);
  const { snapshots, plans, releases } = sources;
  // Of all namespaces: a plan names another one as its target, and managed pipelines run there.
  const { apiVersion, kind } = ReleasePlanAdmission;
  const admissions = reflect(ReleasePlanAdmission.crdName, { apiVersion, kind });
  const labelSelector = `${promotionLabels.service}=release`;
  const runs = reflect(pipelineRunDefinition, { ...pipelineRunKind, labelSelector }, { [byRelease]: releaseKeysOf });
  const configs = reflect(ReleaseServiceConfig.crdName, {
    apiVersion: ReleaseServiceConfig.apiVersion,
    kind: ReleaseServiceConfig.kind,
    namespace: options.serviceNamespace,
    fieldSelector: `metadata.name=${releaseServiceConfigName}`,
  });
  const config = (): ReleaseConfig => {
    const { serviceNamespace } = options;
    const key = `${serviceNamespace}/${releaseServiceConfigName}`;
    return readReleaseConfig(serviceNamespace === undefined ? undefined : configs.store.get(key));
  };
  const concluded = new Wakeups();
  const freshSnapshots = new FreshStore(snapshots);
  const registries = options.registries ?? {};
  const retag = retagPipeline({ client, clock, metrics, snapshots: freshSnapshots, settings: registries });
  const { builtins = new Map([["retag", retag]]) } = options;
  const builtin = new BuiltinRunner(builtins, concluded);
  const tekton = tektonReleaseRunner({
    client,
    runs: new FreshStore(runs),
    resolveRevision: options.resolveRevision ?? resolveRevision,
    settingsOf: (request, signal) => findRunSettings(request, config(), options, signal),
  });
  const deps: ReleaseDeps = {
    client,
    clock,
    log,
    metrics: releaseMetrics(metrics),
    snapshots: freshSnapshots,
    plans: new FreshStore(plans),
    releases: new FreshStore(releases),
    admissions: admissions.store,
    config,
    holdsAuthors: findAuthorPolicies(client, clock),
    runnerOf: (pipeline) => (builtinName(pipeline) === undefined ? tekton : builtin),
    runners: [tekton, builtin],
    builtins: [...builtins.keys()],
    mayWrite,
  };
  const openSnapshots = (plan: KubeObject): string[] =>
    ownerKeysOf(plan).flatMap((owner) => snapshots.store.byIndex(byReleaseOwner, owner).filter(isOpen).map(keyOf));
  return [
    createController({
      ...shared,
      name: "auto-release",
      concurrency,
      reconcile: autoReleaseReconciler(deps),
      sources: [
        { reflector: snapshots },
        // A plan that could not decide is asked again when a user has changed it.
        { reflector: filterChanges(plans, decisionOf), keysOf: openSnapshots },
        read(plans),
        read(releases),
      ],
    }),
    ...createPlanControllers({ shared, deps, concurrency, namespace, sources, admissions, configs, registries }),
    createController({
      ...shared,
      name: "releases",
      concurrency,
      reconcile: releaseReconciler(deps),
      sources: [
        { reflector: releases },
        { reflector: runs, keysOf: releaseKeysOf },
        concluded.source,
        read(plans),
        read(snapshots),
        read(admissions),
        read(configs),
      ],
    }),
    createController({
      ...shared,
      name: "builtin-releases",
      concurrency: mostBuiltinsAtOnce,
      reconcile: builtin.reconcile,
      sources: [builtin.source],
    }),
  ];
}

/** The controller needs what is in the store of the reflector, and none of its changes. */
function read(reflector: ControllerSource["reflector"]): ControllerSource {
  return { reflector, keysOf: () => [] };
}

function isOpen(snapshot: KubeObject): boolean {
  return snapshotCondition(snapshot, snapshotConditions.released)?.status !== "True";
}

/** What a plan's decision about a Snapshot depends on. */
function decisionOf({ metadata: { generation, labels = {}, annotations = {} } }: KubeObject): unknown {
  const { autoRelease, supersession } = promotionAnnotations;
  return [generation, labels[promotionLabels.autoRelease], annotations[autoRelease], annotations[supersession]];
}
