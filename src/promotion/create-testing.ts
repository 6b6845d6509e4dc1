import { createReflector, keyOf, type KubeObject, type ObjectSelection, type ReflectorOptions } from "#kube";
import {
  type Controller,
  type ControllerSource,
  createController,
  createOptionalReflector,
  filterChanges,
  FreshStore,
  type Reconciler,
  requeueAfter,
} from "#runtime";
import { ComponentGroup } from "./kinds/component-group.ts";
import { IntegrationTestScenario } from "./kinds/integration-test-scenario.ts";
import { promotionAnnotations, promotionLabels } from "./kinds/promotion-names.ts";
import { isBuildRun, readBuildRun, snapshotsOf } from "./builds/build-run.ts";
import { findReleasePlans } from "./releases/find-release-plans.ts";
import { buildReportsReconciler } from "./reports/build-reports-reconciler.ts";
import { groupReportsReconciler } from "./reports/group-reports-reconciler.ts";
import { isReported } from "./reports/report-memory.ts";
import { fillLink, type ReportSettings } from "./reports/report-settings.ts";
import { reportsReconciler } from "./reports/reports-reconciler.ts";
import { jobRunner } from "./runners/job/job-runner.ts";
import { jobKind } from "./runners/job/test-job.ts";
import { tektonRunner } from "./runners/tekton/tekton-runner.ts";
import {
  createPromotionSources,
  ownersOf,
  type PromotionSources,
  type PromotionSourcesOptions,
  setsOf,
  testedBy,
} from "./promotion-sources.ts";
import { scenarioOwnerReconciler } from "./scenarios/scenario-owner-reconciler.ts";
import { runnerAccountReconciler } from "./scenarios/runner-account-reconciler.ts";
import type { RunTimeouts } from "./scenarios/run-timeouts.ts";
import { readScenario } from "./scenarios/test-scenario.ts";
import { byOwner, bySnapshot, bySupersession, ownerKey, type TestingDeps } from "./scenarios/testing-deps.ts";
import { openSnapshots, testsReconciler } from "./scenarios/tests-reconciler.ts";
import { testingMetrics } from "./testing-metrics.ts";

export interface TestingOptions extends PromotionSourcesOptions {
  /** How many Snapshots are looked after at once. */
  readonly concurrency?: number;
  /** Defaults for test runs. */
  readonly timeouts?: RunTimeouts;
  /** Reports results to forges; without it they are not reported. */
  readonly reports?: ReportSettings;
  readonly mayWrite?: () => boolean;
  /** Watches that other controllers of the process share; default: own ones. */
  readonly sources?: PromotionSources;
}

/** How often a Snapshot looks whether the kind of scenarios has appeared. */
const kindMs = 5_000;
/** Forges answer slowly, and limit how many calls they take. */
const mostReportsAtOnce = 8;

/** The controllers that test Snapshots, for `runControllers`. */
export function createTesting(options: TestingOptions): readonly Controller[] {
  const { client, clock, random, log, metrics, namespace, concurrency = 32, mayWrite = () => true } = options;
  const shared = { client, clock, random, log, ...(metrics ? { metrics } : {}) };
  const isTest = `${promotionLabels.runType}=test`;
  const { applications, components, snapshots, plans, pipelineRuns } =
    options.sources ?? createPromotionSources(options, ["tests"]);
  const optional = (definition: string, selection: ObjectSelection, indexers: ReflectorOptions["indexers"] = {}) =>
    createOptionalReflector({ ...shared, definition, selection: { ...selection, namespace }, indexers });
  const scenarios = optional(
    IntegrationTestScenario.crdName,
    { apiVersion: IntegrationTestScenario.apiVersion, kind: IntegrationTestScenario.kind },
    { [byOwner]: ownersOf, namespace: namespacesOf },
  );
  const groups = optional(ComponentGroup.crdName, { apiVersion: ComponentGroup.apiVersion, kind: ComponentGroup.kind });
  const jobs = createReflector({
    ...shared,
    selection: { ...jobKind, namespace, labelSelector: isTest },
    indexers: { [bySnapshot]: testedBy },
  });

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
    hasReleasePlan: findReleasePlans({ client, plans: plans.store }),
    runners: { tekton: tektonRunner({ client, clock }), job: jobRunner(client) },
    timeouts: options.timeouts ?? {},
    logUrlOf: (inNamespace, run) =>
      fillLink(options.reports?.runUrl, { NAMESPACE: inNamespace, PIPELINE_RUN_NAME: run }),
    isReported: options.reports ? isReported : () => true,
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
    { reflector: pipelineRuns, keysOf: testedBy },
    { reflector: jobs, keysOf: testedBy },
  ];
  const runnerAccount = runnerAccountReconciler({
    client,
    hasScenarios: (name) => scenarios.store.byIndex("namespace", name).length > 0,
  });
  /** A kind that has just appeared is not complete yet: a Snapshot without its scenarios would pass untested. */
  function withScenarios(reconcile: Reconciler): Reconciler {
    return async (key, signal) => {
      if (!scenarios.isServed) return requeueAfter(kindMs);
      await scenarios.whenSynced(signal);
      return await reconcile(key, signal);
    };
  }
  const reporting = options.reports ? createReports(options.reports) : [];
  function createReports(settings: ReportSettings): readonly Controller[] {
    const { snapshots: tested, runsOf, runners } = deps;
    const sent = { client, clock, log, settings, mayWrite, components: components.store };
    const beingTold = new Set<string>();
    const ofTests = { ...sent, snapshots: tested, runsOf, runners, builds: pipelineRuns.store, beingTold };
    const reportGroup = groupReportsReconciler({
      ...sent,
      snapshots: tested,
      beingTold,
      scenariosOf: ({ namespace: inNamespace, owner }) =>
        owner ? scenarios.store.byIndex(byOwner, ownerKey(inNamespace, owner)).map(readScenario) : [],
    });
    const reportBuild = buildReportsReconciler({
      ...sent,
      runs: freshPipelineRuns,
      applications: new FreshStore(applications),
      scenarios: scenarios.store,
    });
    const quiet = [components, applications, scenarios].map((reflector) => ({ reflector, keysOf: () => [] }));
    return [
      createController({
        ...shared,
        name: "reports",
        reconcile: reportsReconciler(ofTests),
        sources: [
          { reflector: snapshots },
          { reflector: components, keysOf: () => [] },
          { reflector: pipelineRuns, keysOf: (run) => (isBuildRun(run) ? builtBy(run) : []) },
        ],
        concurrency: mostReportsAtOnce,
      }),
      createController({
        ...shared,
        name: "group-reports",
        reconcile: withScenarios(reportGroup),
        sources: [
          { reflector: filterChanges(snapshots, groupStateOf) },
          ...[snapshots, components, scenarios].map((reflector) => ({ reflector, keysOf: () => [] })),
        ],
        concurrency: mostReportsAtOnce,
      }),
      createController({
        ...shared,
        name: "build-reports",
        reconcile: withScenarios(reportBuild),
        sources: [{ reflector: pipelineRuns, keysOf: (run) => (isBuildRun(run) ? [keyOf(run)] : []) }, ...quiet],
        concurrency: mostReportsAtOnce,
      }),
    ];
  }
  const scenariosOf =
    (kind: string) =>
    ({ metadata: { namespace: inNamespace = "", name } }: KubeObject): string[] =>
      scenarios.store.byIndex(byOwner, ownerKey(inNamespace, { kind, name })).map(keyOf);
  const testSnapshot = testsReconciler(deps);
  return [
    ...reporting,
    createController({
      ...shared,
      name: "test-runs",
      reconcile: withScenarios(testSnapshot),
      sources,
      concurrency,
    }),
    createController({
      ...shared,
      name: "test-accounts",
      reconcile: runnerAccount,
      sources: [{ reflector: filterChanges(scenarios, presence), keysOf: namespacesOf }],
    }),
    createController({
      ...shared,
      name: "scenario-owners",
      reconcile: scenarioOwnerReconciler({ client, scenarios: scenarios.store, ownerOf: deps.ownerOf, mayWrite }),
      sources: [
        { reflector: scenarios },
        { reflector: filterChanges(applications, presence), keysOf: scenariosOf("Application") },
        { reflector: filterChanges(groups, presence), keysOf: scenariosOf("ComponentGroup") },
        { reflector: applications, keysOf: () => [] },
        { reflector: groups, keysOf: () => [] },
      ],
    }),
  ];
}

/** What decides whether the group of a pull request is reported on it. */
function groupStateOf({ metadata: { annotations = {} } }: KubeObject): unknown {
  const { groupState, groupReport, reportFailure } = promotionAnnotations;
  return [groupState, groupReport, reportFailure].map((name) => annotations[name]);
}

/** The Snapshots that were made of a run. */
function builtBy(run: KubeObject): readonly string[] {
  return snapshotsOf(readBuildRun(run)).map((name) => `${run.metadata.namespace}/${name}`);
}

/** The same for every version of an object, so that only new and deleted ones are reported. */
function presence(): unknown {
  return undefined;
}

function namespacesOf({ metadata: { namespace } }: KubeObject): string[] {
  return namespace === undefined ? [] : [namespace];
}
