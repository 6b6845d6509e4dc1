import { InputError, isRecord } from "#base";
import { createReflector, keyOf, type KubeObject, type ObjectSelection, type ReflectorOptions } from "#kube";
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
import { currentCandidate } from "./builds/candidate-list.ts";
import { Application } from "./kinds/application.ts";
import { promotionAnnotations, promotionLabels, snapshotConditions } from "./kinds/promotion-names.ts";
import { ReleasePlanAdmission } from "./kinds/release-plan-admission.ts";
import { ReleaseServiceConfig, releaseServiceConfigName } from "./kinds/release-service-config.ts";
import { findAuthorPolicies } from "./policies/find-author-policies.ts";
import {
  byTenant,
  createPromotionSources,
  indexByNamespace,
  type PromotionSources,
  type PromotionSourcesOptions,
} from "./promotion-sources.ts";
import { admissionReconciler } from "./releases/admission-reconciler.ts";
import { autoReleaseReconciler } from "./releases/auto-release-reconciler.ts";
import { type BuiltinPipeline, BuiltinRunner } from "./releases/builtin-runner.ts";
import { CandidateImages } from "./releases/candidate-images.ts";
import { exhaustedIn } from "./releases/judge-plan.ts";
import { findPolicy } from "./releases/load-release-facts.ts";
import { builtinName } from "./releases/phase-pipeline.ts";
import type { PhaseRequest } from "./releases/phase-runner.ts";
import { planFactsOf } from "./releases/plan-facts.ts";
import { planReconciler } from "./releases/plan-reconciler.ts";
import { readReleaseConfig, type ReleaseConfig } from "./releases/release-config.ts";
import { byReleaseOwner, ownerKeysOf, type ReleaseDeps } from "./releases/release-deps.ts";
import { releaseMetrics } from "./releases/release-metrics.ts";
import { releaseReconciler } from "./releases/release-reconciler.ts";
import { retagPipeline, type RetagPipelineOptions } from "./retag/retag-pipeline.ts";
import { byRelease, releaseKeysOf, tektonReleaseRunner } from "./runners/tekton/release-runner.ts";
import type { ReleaseRunSettings } from "./runners/tekton/release-pipeline-run.ts";
import { resolveRevision } from "./runners/tekton/resolve-revision.ts";
import { pipelineRunKind } from "./runners/tekton/test-pipeline-run.ts";
import { ownerKey } from "./scenarios/testing-deps.ts";
import { snapshotCondition } from "./snapshots/snapshot-condition.ts";

export interface ReleasesOptions extends PromotionSourcesOptions {
  /** How many Snapshots or Releases are looked after at once. */
  readonly concurrency?: number;
  /** Where the ReleaseServiceConfig is; default: there is none. */
  readonly serviceNamespace?: string;
  /** A volume that the tasks of a pipeline share; default none. */
  readonly workspace?: { readonly name: string; readonly size: string };
  /** `namespace/name` of the ConfigMap that says where policies are checked. */
  readonly policyConfigMap?: string;
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
const mostLooksAtOnce = 16;

/** The controllers that release Snapshots, for `runControllers`. */
export function createReleases(options: ReleasesOptions): readonly Controller[] {
  const { client, clock, random, log, metrics, namespace, concurrency = 32, mayWrite = () => true } = options;
  const shared = { client, clock, random, log, ...(metrics ? { metrics } : {}) };
  const reflect = (definition: string, selection: ObjectSelection, indexers: ReflectorOptions["indexers"] = {}) =>
    shareReflector(createOptionalReflector({ ...shared, definition, selection, indexers }));
  const here = ({ apiVersion, kind }: { apiVersion: string; kind: string }) => ({ apiVersion, kind, namespace });
  const { snapshots, plans, releases, applications, components } = options.sources ?? createPromotionSources(options);
  const quotas = createReflector({
    ...shared,
    selection: here({ apiVersion: "v1", kind: "ResourceQuota" }),
    indexers: { [byTenant]: indexByNamespace },
  });
  const accounts = shareReflector(
    createReflector({
      ...shared,
      selection: { ...here({ apiVersion: "v1", kind: "ServiceAccount" }), metadataOnly: true },
    }),
  );
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
  const settings = options.registries ?? {};
  const retag = retagPipeline({ client, clock, metrics, snapshots: freshSnapshots, settings });
  const { builtins = new Map([["retag", retag]]) } = options;
  const builtin = new BuiltinRunner(builtins, concluded);
  const tekton = tektonReleaseRunner({
    client,
    runs: new FreshStore(runs),
    resolveRevision: options.resolveRevision ?? resolveRevision,
    settingsOf: (request, signal) => settingsOf(request, config(), options, signal),
  });
  const freshPlans = new FreshStore(plans);
  const looked = new Wakeups();
  const images = new CandidateImages(
    { client, clock, log, plans: plans.store, components: components.store, settings },
    looked,
  );
  const deps: ReleaseDeps = {
    client,
    clock,
    log,
    metrics: releaseMetrics(metrics),
    snapshots: freshSnapshots,
    plans: freshPlans,
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
  const plansFor = ({ metadata }: KubeObject): string[] =>
    plans.store
      .list()
      .filter((plan) => targetOf(plan) === metadata.namespace)
      .map(keyOf);
  const plansOf = (owner: string): string[] => plans.store.byIndex(byReleaseOwner, owner).map(keyOf);
  const plansIn = (inNamespace = ""): string[] => plans.store.byIndex(byTenant, inNamespace).map(keyOf);
  const admissionsIn = (inNamespace: string | undefined): string[] =>
    admissions.store
      .list()
      .filter(({ metadata }) => metadata.namespace === inNamespace)
      .map(keyOf);
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
    createController({
      ...shared,
      name: "release-plans",
      concurrency,
      reconcile: planReconciler(
        deps,
        planFactsOf({
          applications: applications.store,
          components: components.store,
          quotas: quotas.store,
          accounts: accounts.store,
          expiringOf: (plan) => images.expiringOf(plan),
        }),
      ),
      sources: [
        { reflector: plans },
        { reflector: admissions, keysOf: plansFor },
        // Of an Application, only whether it exists.
        {
          reflector: filterChanges(applications, () => []),
          keysOf: ({ metadata: { namespace: inNamespace = "", name } }) =>
            plansOf(ownerKey(inNamespace, { kind: Application.kind, name })),
        },
        {
          reflector: filterChanges(components, candidacyOf),
          keysOf: (component) => ownerKeysOf(component).flatMap(plansOf),
        },
        // A quota changes with each object that it counts.
        { reflector: filterChanges(quotas, exhaustedIn), keysOf: ({ metadata }) => plansIn(metadata.namespace) },
        { reflector: filterChanges(accounts, () => []), keysOf: ({ metadata }) => plansIn(metadata.namespace) },
        looked.source,
        read(applications),
        read(components),
        read(quotas),
        read(accounts),
      ],
    }),
    createController({
      ...shared,
      name: "candidate-images",
      concurrency: mostLooksAtOnce,
      reconcile: images.reconcile,
      sources: [
        { reflector: filterChanges(plans, ({ metadata }) => metadata.generation) },
        {
          reflector: filterChanges(components, candidacyOf),
          keysOf: (component) => ownerKeysOf(component).flatMap(plansOf),
        },
        read(plans),
        read(components),
      ],
    }),
    createController({
      ...shared,
      name: "release-admissions",
      concurrency,
      reconcile: admissionReconciler({
        client,
        clock,
        plans: freshPlans,
        admissions: new FreshStore(admissions),
        config,
        mayWrite,
      }),
      sources: [
        // Another admission of the namespace may make this one ambiguous.
        { reflector: admissions, keysOf: ({ metadata }) => admissionsIn(metadata.namespace) },
        { reflector: plans, keysOf: (plan) => admissionsIn(targetOf(plan)) },
        { reflector: configs, keysOf: () => admissions.store.list().map(keyOf) },
      ],
    }),
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

async function settingsOf(
  { admission, pipeline, phase }: PhaseRequest,
  config: ReleaseConfig,
  { client, workspace, policyConfigMap }: ReleasesOptions,
  signal: AbortSignal,
): Promise<Omit<ReleaseRunSettings, "commit">> {
  const common = {
    ...(workspace ? { workspace } : {}),
    ...(config.key === undefined ? {} : { config: config.key }),
    usesEmptyDir: pipeline.useEmptyDir || config.usesEmptyDir(pipeline),
  };
  if (phase !== "managed" || !admission) return common;
  const policy = await findPolicy(admission, { client }, signal);
  if (!policy) {
    throw new InputError(`the policy of ReleasePlanAdmission ${keyOf(admission)} does not exist any more`, {
      next: "create it, then release again",
    });
  }
  if (policyConfigMap === undefined) return { ...common, policy };
  const [inNamespace, name = ""] = policyConfigMap.split("/");
  const map = await client.find({ apiVersion: "v1", kind: "ConfigMap", namespace: inNamespace, name }, signal);
  const data = isRecord(map?.["data"]) ? map["data"] : {};
  const texts = Object.entries(data).flatMap(([key, text]) => (typeof text === "string" ? [[key, text] as const] : []));
  return { ...common, policy, verification: Object.fromEntries(texts) };
}

function targetOf({ spec }: KubeObject): string | undefined {
  const target = isRecord(spec) ? spec["target"] : undefined;
  return typeof target === "string" ? target : undefined;
}

function isOpen(snapshot: KubeObject): boolean {
  return snapshotCondition(snapshot, snapshotConditions.released)?.status !== "True";
}

/** Which plans release a component, and the image that they would release next. */
function candidacyOf(component: KubeObject): unknown {
  return [ownerKeysOf(component), currentCandidate(component).image];
}

/** What a plan's decision about a Snapshot depends on. */
function decisionOf({ metadata: { generation, labels = {}, annotations = {} } }: KubeObject): unknown {
  const { autoRelease, supersession } = promotionAnnotations;
  return [generation, labels[promotionLabels.autoRelease], annotations[autoRelease], annotations[supersession]];
}
