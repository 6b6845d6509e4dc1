import { type Clock, isRecord, type Logger, type Metrics } from "#base";
import { createReflector, keyOf, type KubeClient, type KubeObject, type ReflectorOptions } from "#kube";
import { type Controller, createController, filterChanges, FreshStore } from "#runtime";
import { promotionAnnotations, promotionLabels, snapshotConditions } from "./kinds/promotion-names.ts";
import { Release } from "./kinds/release.ts";
import { ReleasePlan } from "./kinds/release-plan.ts";
import { ReleasePlanAdmission } from "./kinds/release-plan-admission.ts";
import { autoReleaseReconciler } from "./releases/auto-release-reconciler.ts";
import { releasePair } from "./releases/decide-auto-release.ts";
import { byReleasedSnapshot, byReleaseOwner, ownerKeysOf, type ReleaseDeps } from "./releases/release-deps.ts";
import { planReconciler } from "./releases/plan-reconciler.ts";
import { snapshotKind } from "./scenarios/tested-snapshot.ts";
import { snapshotCondition } from "./snapshots/snapshot-condition.ts";

export interface ReleasesOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: Metrics;
  /** Only Snapshots and Releases of this namespace; default all. */
  readonly namespace?: string | undefined;
  /** How many Snapshots or Releases are looked after at once. */
  readonly concurrency?: number;
  readonly mayWrite?: () => boolean;
}

/** The controllers that release Snapshots, for `runControllers`. */
export function createReleases(options: ReleasesOptions): readonly Controller[] {
  const { client, clock, random, log, metrics, namespace, concurrency = 32, mayWrite = () => true } = options;
  const shared = { client, clock, random, log, ...(metrics ? { metrics } : {}) };
  const reflect = (kind: { apiVersion: string; kind: string }, indexers: ReflectorOptions["indexers"] = {}) =>
    createReflector({
      ...shared,
      indexers,
      selection: { apiVersion: kind.apiVersion, kind: kind.kind, namespace },
    });
  const snapshots = reflect(snapshotKind, { [byReleaseOwner]: ownerKeysOf });
  const plans = reflect(ReleasePlan, { [byReleaseOwner]: ownerKeysOf });
  const releases = reflect(Release, {
    [byReleasedSnapshot]: (release) => [releasePair(release).snapshot],
  });
  const { apiVersion, kind: admissionKind } = ReleasePlanAdmission;
  const admissions = createReflector({ ...shared, selection: { apiVersion, kind: admissionKind } });
  const deps: ReleaseDeps = {
    client,
    clock,
    log,
    snapshots: new FreshStore(snapshots),
    plans: new FreshStore(plans),
    releases: new FreshStore(releases),
    admissions: admissions.store,
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
        { reflector: plans, keysOf: () => [] },
        { reflector: releases, keysOf: () => [] },
      ],
    }),
    createController({
      ...shared,
      name: "release-plans",
      concurrency,
      reconcile: planReconciler(deps),
      sources: [
        { reflector: plans },
        {
          reflector: admissions,
          keysOf: ({ metadata }) =>
            plans.store
              .list()
              .filter((plan) => targets(plan, metadata.namespace))
              .map(keyOf),
        },
      ],
    }),
  ];
}

function targets({ spec }: KubeObject, namespace: string | undefined): boolean {
  return isRecord(spec) && spec["target"] === namespace;
}

function isOpen(snapshot: KubeObject): boolean {
  return snapshotCondition(snapshot, snapshotConditions.released)?.status !== "True";
}

/** What a plan's decision about a Snapshot depends on. */
function decisionOf({ metadata: { generation, labels = {}, annotations = {} } }: KubeObject): unknown {
  const { autoRelease, supersession } = promotionAnnotations;
  return [generation, labels[promotionLabels.autoRelease], annotations[autoRelease], annotations[supersession]];
}
