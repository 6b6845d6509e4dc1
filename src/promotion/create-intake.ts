import { createReflector, keyOf, type KubeObject } from "#kube";
import { type Controller, type ControllerSource, createController, filterChanges, FreshStore } from "#runtime";
import { buildReconciler, byApplication, byComponent } from "./builds/build-reconciler.ts";
import { isBuildRun } from "./builds/build-run.ts";
import { componentReconciler } from "./builds/component-reconciler.ts";
import { intakeMetrics } from "./builds/intake-metrics.ts";
import { promotionAnnotations, promotionLabels, snapshotConditions } from "./kinds/promotion-names.ts";
import {
  createPromotionSources,
  indexByLabel,
  indexByOwner,
  type PromotionSources,
  type PromotionSourcesOptions,
} from "./promotion-sources.ts";
import { askPullRequest } from "./reports/ask-pull-request.ts";
import { destinationsOf } from "./reports/report-destination.ts";
import { readSnapshot } from "./scenarios/tested-snapshot.ts";
import { byGroup } from "./snapshots/group-snapshot.ts";
import { snapshotCondition } from "./snapshots/snapshot-condition.ts";
import { type SnapshotDeps, snapshotReconciler } from "./snapshots/snapshot-reconciler.ts";
import { readSweepLimits, type SweepLimits } from "./snapshots/sweep-limits.ts";
import { sweepReconciler } from "./snapshots/sweep-reconciler.ts";

/** Whether builds wait until Tekton Chains is done with them; `auto`: where Chains is installed. */
export type RequireChains = "auto" | "always" | "never";

export interface IntakeOptions extends PromotionSourcesOptions {
  readonly requireChains?: RequireChains;
  /** Default: 512 of pull requests, 512 others, and of these the newest 5 of each component. */
  readonly sweepLimits?: SweepLimits;
  readonly concurrency?: number;
  readonly mayWrite?: () => boolean;
  /** Watches that other controllers of the process share; default: own ones. */
  readonly sources?: PromotionSources;
}

type Watch = ControllerSource["reflector"];

/** Labels of the namespaces whose Snapshots are deleted when they are no longer needed. */
const tenantLabels: readonly (readonly [string, string])[] = [
  ["toolchain.dev.openshift.com/type", "tenant"],
  ["konflux.ci/type", "user"],
  ["konflux-ci.dev/type", "tenant"],
];

/** The controllers that turn finished builds into Snapshots, for `runControllers`. */
export function createIntake(options: IntakeOptions): readonly Controller[] {
  const { client, clock, random, log, metrics, concurrency = 16, mayWrite = () => true } = options;
  const shared = { client, clock, random, log, ...(metrics ? { metrics } : {}) };
  const {
    applications,
    components,
    snapshots,
    releases,
    namespaces,
    pipelineRuns: runs,
  } = options.sources ?? createPromotionSources(options, ["builds"]);
  const chains = createReflector({
    ...shared,
    selection: {
      apiVersion: "v1",
      kind: "Namespace",
      metadataOnly: true,
      fieldSelector: "metadata.name=tekton-chains",
    },
  });
  const deps: SnapshotDeps = {
    client,
    clock,
    log,
    metrics: intakeMetrics(metrics),
    applications: new FreshStore(applications),
    components: new FreshStore(components),
    snapshots: new FreshStore(snapshots),
    runs: new FreshStore(runs),
    mayWrite,
    requireChains: () => {
      const { requireChains = "auto" } = options;
      return requireChains === "auto" ? chains.store.size > 0 : requireChains === "always";
    },
    askPullRequest: askPullRequest({ client, clock, components: components.store }),
  };
  const builds = createController({
    ...shared,
    name: "builds",
    concurrency,
    reconcile: buildReconciler(deps),
    sources: [
      { reflector: runs, keysOf: (run) => (isBuildRun(run) ? [keyOf(run)] : []) },
      { reflector: components, keysOf: (component) => unfinishedRuns(component, runs) },
      quiet(applications),
      quiet(snapshots),
      quiet(chains),
    ],
  });
  const snapshotController = createController({
    ...shared,
    name: "snapshots",
    concurrency,
    reconcile: snapshotReconciler(deps),
    sources: [
      { reflector: snapshots },
      { reflector: applications, keysOf: (application) => ofOwner(application, snapshots) },
      { reflector: components, keysOf: (component) => invalidSnapshots(component, snapshots) },
      { reflector: runs, keysOf: (run) => (isBuildRun(run) ? ofGroup(run, snapshots) : []) },
      {
        reflector: filterChanges(
          snapshots,
          ({ metadata }) => metadata.annotations?.[promotionAnnotations.groupMembers],
        ),
        keysOf: membersOfGroup,
      },
    ],
  });
  const componentController = createController({
    ...shared,
    name: "components",
    concurrency,
    reconcile: componentReconciler(deps),
    sources: [
      { reflector: components },
      { reflector: applications, keysOf: (application) => ofOwner(application, components) },
    ],
  });
  const sweeper = createController({
    ...shared,
    name: "sweeper",
    reconcile: sweepReconciler({
      ...deps,
      releases: releases.store,
      limits: options.sweepLimits ?? readSweepLimits({}),
      isTenant: (name) => {
        const labels = namespaces.store.get(name)?.metadata.labels ?? {};
        return tenantLabels.some(([label, value]) => labels[label] === value);
      },
    }),
    sources: [{ reflector: namespaces }, quiet(snapshots), quiet(releases)],
  });
  return [builds, snapshotController, componentController, sweeper];
}

/** A reflector whose objects a controller reads, and whose changes do not matter to it. */
function quiet(reflector: Watch) {
  return { reflector, keysOf: () => [] };
}

/** Runs that wait for the component to appear. */
function unfinishedRuns(component: KubeObject, runs: Watch): readonly string[] {
  return runs.store.byIndex(byComponent, keyOf(component)).map(keyOf);
}

function ofOwner(application: KubeObject, { store }: Watch): readonly string[] {
  return store.byIndex(byApplication, keyOf(application)).map(keyOf);
}

/** Snapshots that a new component may make valid. */
function invalidSnapshots(component: KubeObject, { store }: Watch): readonly string[] {
  return indexByOwner(component)
    .flatMap((key) => store.byIndex(byApplication, key))
    .filter((snapshot) => snapshotCondition(snapshot, snapshotConditions.integration)?.reason === "Invalid")
    .map(keyOf);
}

/** The Snapshots of pull requests that wait for this build. */
function ofGroup(run: KubeObject, { store }: Watch): readonly string[] {
  return indexByLabel(promotionLabels.pullRequestGroup)(run)
    .flatMap((key) => store.byIndex(byGroup, key))
    .filter((snapshot) => readSnapshot(snapshot).type === "component")
    .map(keyOf);
}

/** The Snapshots of which a group Snapshot is made. */
function membersOfGroup(snapshot: KubeObject): readonly string[] {
  const read = readSnapshot(snapshot);
  return read.type === "group" ? destinationsOf(read).map(({ snapshot: name }) => `${read.namespace}/${name}`) : [];
}
