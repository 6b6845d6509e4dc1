import { type Clock, isRecord, type Logger, type Metrics } from "#base";
import {
  createReflector,
  keyOf,
  type KubeClient,
  type KubeObject,
  type ObjectSelection,
  type Reflector,
  type ReflectorOptions,
} from "#kube";
import {
  type Controller,
  type ControllerSource,
  createController,
  createOptionalReflector,
  filterChanges,
  FreshStore,
} from "#runtime";
import { Application } from "./kinds/application.ts";
import { ComponentGroup } from "./kinds/component-group.ts";
import { IntegrationTestScenario } from "./kinds/integration-test-scenario.ts";
import { promotionLabels, upstreamGroup } from "./kinds/promotion-names.ts";
import { jobRunner } from "./runners/job/job-runner.ts";
import { jobKind } from "./runners/job/test-job.ts";
import { tektonRunner } from "./runners/tekton/tekton-runner.ts";
import { pipelineRunKind } from "./runners/tekton/test-pipeline-run.ts";
import { phaseOf } from "./scenarios/conclude-tests.ts";
import { supersessionSet } from "./scenarios/is-superseded.ts";
import { runnerAccountReconciler } from "./scenarios/runner-account-reconciler.ts";
import type { RunTimeouts } from "./scenarios/run-timeouts.ts";
import { ownerIn, readSnapshot, snapshotKind } from "./scenarios/tested-snapshot.ts";
import { byOwner, bySnapshot, bySupersession, ownerKey, type TestingDeps } from "./scenarios/testing-deps.ts";
import { openSnapshots, snapshotKeyOf, testsReconciler } from "./scenarios/tests-reconciler.ts";
import { testingMetrics } from "./testing-metrics.ts";

export interface TestingOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: Metrics;
  /** Only Snapshots of this namespace; default all. */
  readonly namespace?: string | undefined;
  /** How many Snapshots are looked after at once. */
  readonly concurrency?: number;
  /** Defaults for test runs. */
  readonly timeouts?: RunTimeouts;
  readonly mayWrite?: () => boolean;
}

/** The controllers that test Snapshots, for `runControllers`. */
export function createTesting(options: TestingOptions): readonly Controller[] {
  const { client, clock, random, log, metrics, namespace, concurrency = 32, mayWrite = () => true } = options;
  const shared = { client, clock, random, log, ...(metrics ? { metrics } : {}) };
  const reflect = (kind: { apiVersion: string; kind: string }, more: Partial<ReflectorOptions> = {}): Reflector =>
    createReflector({ ...shared, ...more, selection: { apiVersion: kind.apiVersion, kind: kind.kind, namespace } });
  const isTest = `${promotionLabels.runType}=test`;
  const indexers = { [bySnapshot]: (run: KubeObject) => listOf(snapshotKeyOf(run)) };

  const snapshots = reflect(snapshotKind, { indexers: { [byOwner]: ownersOf, [bySupersession]: setsOf } });
  const scenarios = reflect(IntegrationTestScenario, { indexers: { [byOwner]: ownersOf, namespace: namespacesOf } });
  const applications = reflect(Application);
  const optional = (definition: string, selection: ObjectSelection, indexed: ReflectorOptions["indexers"] = {}) =>
    createOptionalReflector({ ...shared, definition, selection: { ...selection, namespace }, indexers: indexed });
  const groups = optional(ComponentGroup.crdName, { apiVersion: ComponentGroup.apiVersion, kind: ComponentGroup.kind });
  const planKind = { apiVersion: `${upstreamGroup}/v1alpha1`, kind: "ReleasePlan" };
  const plans = optional(`releaseplans.${upstreamGroup}`, planKind, { [byOwner]: ownersOf });
  const pipelineRuns = optional("pipelineruns.tekton.dev", { ...pipelineRunKind, labelSelector: isTest }, indexers);
  const jobs = createReflector({ ...shared, selection: { ...jobKind, namespace, labelSelector: isTest }, indexers });

  const freshSnapshots = new FreshStore(snapshots);
  const [freshPipelineRuns, freshJobs] = [new FreshStore(pipelineRuns), new FreshStore(jobs)];
  const deps: TestingDeps = {
    client,
    clock,
    log,
    metrics: testingMetrics(metrics),
    snapshots: freshSnapshots,
    scenarios: scenarios.store,
    runsOf: (key) => [...freshPipelineRuns.byIndex(bySnapshot, key), ...freshJobs.byIndex(bySnapshot, key)],
    ownerOf: (kind, key) => (kind === "Application" ? applications : groups).store.get(key),
    hasReleasePlan: (inNamespace, name) =>
      plans.store.byIndex(byOwner, ownerKey(inNamespace, { kind: "Application", name })).some(isAutomatic) ||
      plans.store.byIndex(byOwner, ownerKey(inNamespace, { kind: "ComponentGroup", name })).some(isAutomatic),
    runners: { tekton: tektonRunner({ client, clock }), job: jobRunner(client) },
    timeouts: options.timeouts ?? {},
    isReported: () => true,
    mayWrite,
  };

  const openOf = (key: string): string[] => openSnapshots(snapshots.store.byIndex(byOwner, key));
  const ofOwner =
    (kind: string) =>
    ({ metadata: { namespace: inNamespace = "", name } }: KubeObject): string[] =>
      openOf(ownerKey(inNamespace, { kind, name }));
  const sources: ControllerSource[] = [
    { reflector: snapshots },
    {
      reflector: filterChanges(snapshots, (snapshot) => setsOf(snapshot)),
      keysOf: (snapshot) => setsOf(snapshot).flatMap((set) => snapshots.store.byIndex(bySupersession, set).map(keyOf)),
    },
    { reflector: scenarios, keysOf: (scenario) => ownersOf(scenario).flatMap(openOf) },
    { reflector: filterChanges(applications, presence), keysOf: ofOwner("Application") },
    // The source above does not run its reflector.
    { reflector: applications, keysOf: () => [] },
    { reflector: groups, keysOf: ofOwner("ComponentGroup") },
    { reflector: plans, keysOf: () => [] },
    { reflector: pipelineRuns, keysOf: (run) => listOf(snapshotKeyOf(run)) },
    { reflector: jobs, keysOf: (run) => listOf(snapshotKeyOf(run)) },
  ];
  const runnerAccount = runnerAccountReconciler({
    client,
    hasScenarios: (name) => scenarios.store.byIndex("namespace", name).length > 0,
  });
  return [
    createController({ ...shared, name: "test-runs", reconcile: testsReconciler(deps), sources, concurrency }),
    createController({
      ...shared,
      name: "test-accounts",
      reconcile: runnerAccount,
      sources: [{ reflector: filterChanges(scenarios, presence), keysOf: namespacesOf }],
    }),
  ];
}

function isAutomatic({ metadata: { labels = {} } }: KubeObject): boolean {
  return labels[promotionLabels.autoRelease] !== "false";
}

/** The same for every version of an object, so that only new and deleted ones are reported. */
function presence(): unknown {
  return undefined;
}

function ownersOf({ metadata: { namespace = "" }, spec }: KubeObject): string[] {
  const owner = isRecord(spec) ? ownerIn(spec) : undefined;
  return owner ? [ownerKey(namespace, owner)] : [];
}

function setsOf(snapshot: KubeObject): string[] {
  return phaseOf(snapshot) === "invalid" ? [] : listOf(supersessionSet(readSnapshot(snapshot)));
}

function namespacesOf({ metadata: { namespace } }: KubeObject): string[] {
  return listOf(namespace);
}

function listOf(value: string | undefined): string[] {
  return value === undefined ? [] : [value];
}
