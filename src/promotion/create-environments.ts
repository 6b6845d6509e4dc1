import type { Kind } from "#crd";
import { createReflector, keyOf, type KubeObject, type ReflectorOptions } from "#kube";
import {
  type Controller,
  type ControllerSource,
  createController,
  createOptionalReflector,
  filterChanges,
  FreshStore,
  shareReflector,
} from "#runtime";
import { pipelineRunDefinition } from "./builds/build-run.ts";
import { createSpaces } from "./create-spaces.ts";
import { byClaimOwner, byClassName, type ClaimDeps, classNameOf, ownerIndexKey } from "./environments/claim-deps.ts";
import { phaseOfClaim, readClaim } from "./environments/claim-facts.ts";
import { claimReconciler } from "./environments/claim-reconciler.ts";
import { classReconciler } from "./environments/class-reconciler.ts";
import type { RemoteClusters } from "./environments/cluster-provider.ts";
import { environmentMetrics } from "./environments/environment-metrics.ts";
import { environmentName } from "./environments/environment-provider.ts";
import { namespaceProvider } from "./environments/namespace-provider.ts";
import { findOwner, keepOwnerState } from "./environments/owner-state.ts";
import { orphanReconciler, remoteOrphanReconciler } from "./environments/sweep-environments.ts";
import { environmentLabels } from "./kinds/environment-names.ts";
import { EphemeralClaim, ownerKinds } from "./kinds/ephemeral-claim.ts";
import { EphemeralClass } from "./kinds/ephemeral-class.ts";
import type { PromotionSourcesOptions } from "./promotion-sources.ts";

export interface EnvironmentsOptions extends PromotionSourcesOptions {
  /** The address of the cluster's API server, as environments get it if their class does not say. */
  readonly server: string;
  /** PEM. */
  readonly certificateAuthority?: string | undefined;
  /** How the clusters of classes are reached. */
  readonly clusters: RemoteClusters;
  /** What distinguishes the environments of this cluster from those of others. */
  readonly installation: (signal: AbortSignal) => Promise<string>;
  readonly concurrency?: number;
  readonly mayWrite?: () => boolean;
}

/** The controllers of ephemeral environments, for `runControllers`. */
export function createEnvironments(options: EnvironmentsOptions): readonly Controller[] {
  const { client, clock, random, log, metrics, namespace, concurrency = 16, mayWrite = () => true } = options;
  const { server, certificateAuthority, clusters, installation } = options;
  const shared = { client, clock, random, log, ...(metrics ? { metrics } : {}) };
  const reflect = ({ crdName, apiVersion, kind }: Kind, indexers: ReflectorOptions["indexers"] = {}) =>
    shareReflector(
      createOptionalReflector({
        ...shared,
        definition: crdName,
        selection: { apiVersion, kind, namespace: kind === EphemeralClass.kind ? undefined : namespace },
        indexers,
      }),
    );
  const claims = reflect(EphemeralClaim, {
    [byClassName]: classesOf,
    [byClaimOwner]: ownersOfClaim,
    [byClaimUid]: uidsOf,
  });
  const classes = reflect(EphemeralClass);
  const runs = (kind: "PipelineRun" | "TaskRun", definition: string) =>
    createOptionalReflector({
      ...shared,
      definition,
      selection: { apiVersion: ownerKinds[kind], kind, namespace },
      transform: keepOwnerState,
    });
  const pipelineRuns = runs("PipelineRun", pipelineRunDefinition);
  const taskRuns = runs("TaskRun", "taskruns.tekton.dev");
  const jobs = createReflector({
    ...shared,
    selection: { apiVersion: ownerKinds.Job, kind: "Job", namespace },
    transform: keepOwnerState,
  });
  const marked = (kind: string, inNamespace: string | undefined) =>
    shareReflector(
      createReflector({
        ...shared,
        selection: {
          apiVersion: "v1",
          kind,
          namespace: inNamespace,
          labelSelector: environmentLabels.claimUid,
          metadataOnly: true,
        },
      }),
    );
  const secrets = marked("Secret", namespace);
  const namespaces = marked("Namespace", undefined);
  const local = namespaceProvider({ client, server, certificateAuthority, installation });
  const deps: ClaimDeps = {
    client,
    clock,
    log,
    metrics: environmentMetrics(metrics),
    claims: new FreshStore(claims),
    classes: new FreshStore(classes),
    owners: { PipelineRun: pipelineRuns, TaskRun: taskRuns, Job: { store: jobs.store, isServed: true } },
    secrets: secrets.store,
    namespaces: namespaces.store,
    admitted: new Set(),
    providerOf: async (settings, signal) =>
      settings?.spec.provider === "cluster" ? await clusters.providerOf(settings, signal) : local,
    mayWrite,
  };
  const waitingIn = (className: string | undefined): string[] =>
    className === undefined
      ? []
      : claims.store
          .byIndex(byClassName, className)
          .filter((claim) => phaseOfClaim(claim) === "Pending")
          .map(keyOf);
  const ownedBy = ({ kind, metadata }: KubeObject): string[] =>
    claims.store.byIndex(byClaimOwner, ownerIndexKey(kind, metadata.namespace ?? "", metadata.name)).map(keyOf);
  const claimsOf = ({ metadata: { labels = {} } }: KubeObject): string[] =>
    claims.store.byIndex(byClaimUid, labels[environmentLabels.claimUid] ?? "").map(keyOf);
  return [
    ...createSpaces({ ...shared, namespace, claims, classes, deps }),
    createController({
      ...shared,
      name: "ephemeral-claims",
      concurrency,
      reconcile: claimReconciler(deps),
      sources: [
        { reflector: claims },
        // One that ends makes room, and one that comes or goes moves the others in the queue.
        { reflector: filterChanges(claims, phaseOfClaim), keysOf: (claim) => waitingIn(classNameOf(claim)) },
        { reflector: classes, keysOf: ({ metadata }) => claims.store.byIndex(byClassName, metadata.name).map(keyOf) },
        { reflector: pipelineRuns, keysOf: ownedBy },
        { reflector: taskRuns, keysOf: ownedBy },
        { reflector: jobs, keysOf: ownedBy },
        { reflector: secrets, keysOf: claimsOf },
        { reflector: namespaces, keysOf: claimsOf },
      ],
    }),
    createController({
      ...shared,
      name: "ephemeral-classes",
      reconcile: classReconciler(deps),
      sources: [{ reflector: classes }, { reflector: claims, keysOf: classesOf }],
    }),
    createController({
      ...shared,
      name: "environment-orphans",
      reconcile: orphanReconciler({ ...deps, installation }),
      sources: [
        { reflector: namespaces },
        { reflector: filterChanges(claims, phaseOfClaim), keysOf: environmentsOf },
        read(claims),
      ],
    }),
    createController({
      ...shared,
      name: "remote-environment-orphans",
      reconcile: remoteOrphanReconciler({ ...deps, installation }),
      sources: [
        { reflector: filterChanges(classes, ({ metadata }) => metadata.generation) },
        { reflector: filterChanges(claims, phaseOfClaim), keysOf: classesOf },
        read(classes),
        read(claims),
      ],
    }),
  ];
}

/** The controller needs what is in the store of the reflector, and none of its changes. */
function read(reflector: ControllerSource["reflector"]): ControllerSource {
  return { reflector, keysOf: () => [] };
}

/** Claims by their uid. */
const byClaimUid = "uid";

function classesOf(claim: KubeObject): string[] {
  const name = classNameOf(claim);
  return name === undefined ? [] : [name];
}

function environmentsOf({ metadata: { uid = "" } }: KubeObject): string[] {
  return [environmentName({ uid })];
}

function ownersOfClaim(object: KubeObject): string[] {
  let owner: ReturnType<typeof findOwner>;
  try {
    owner = findOwner(readClaim(object));
  } catch {
    return []; // its reconcile reports the error
  }
  return owner ? [ownerIndexKey(owner.kind, owner.namespace ?? "", owner.name)] : [];
}

function uidsOf({ metadata: { uid } }: KubeObject): string[] {
  return uid === undefined ? [] : [uid];
}
