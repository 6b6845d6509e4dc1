import { isRecord } from "#base";
import { createReflector, keyOf, type KubeObject } from "#kube";
import {
  type Controller,
  type ControllerSource,
  createController,
  filterChanges,
  FreshStore,
  shareReflector,
  Wakeups,
} from "#runtime";
import { currentCandidate } from "../builds/candidate-list.ts";
import { Application } from "../kinds/application.ts";
import {
  byTenant,
  indexByNamespace,
  type PromotionSources,
  type PromotionSourcesOptions,
} from "../promotion-sources.ts";
import type { RetagPipelineOptions } from "../retag/retag-pipeline.ts";
import { ownerKey } from "../scenarios/testing-deps.ts";
import { admissionReconciler } from "./admission-reconciler.ts";
import { CandidateImages } from "./candidate-images.ts";
import { exhaustedIn } from "./judge-plan.ts";
import { planFactsOf } from "./plan-facts.ts";
import { planReconciler } from "./plan-reconciler.ts";
import { byReleaseOwner, ownerKeysOf, type ReleaseDeps } from "./release-deps.ts";

type Watch = ControllerSource["reflector"];

export interface PlanControllersOptions {
  /** What every controller and reflector of the process gets. */
  readonly shared: Pick<PromotionSourcesOptions, "client" | "clock" | "random" | "log" | "metrics">;
  readonly deps: ReleaseDeps;
  readonly concurrency: number;
  /** The only one that is looked after; undefined for all. */
  readonly namespace: string | undefined;
  readonly sources: Pick<PromotionSources, "plans" | "applications" | "components">;
  /** Of all namespaces. */
  readonly admissions: Watch;
  readonly configs: Watch;
  /** How registries are reached. */
  readonly registries: NonNullable<RetagPipelineOptions["settings"]>;
}

const mostLooksAtOnce = 16;

/** The controllers that judge plans and admissions before there is a Release. */
export function createPlanControllers(options: PlanControllersOptions): readonly Controller[] {
  const { shared, deps, concurrency, namespace, admissions, configs } = options;
  const { plans, applications, components } = options.sources;
  const quotas = createReflector({
    ...shared,
    selection: { apiVersion: "v1", kind: "ResourceQuota", namespace },
    indexers: { [byTenant]: indexByNamespace },
  });
  const accounts = shareReflector(
    createReflector({
      ...shared,
      selection: { apiVersion: "v1", kind: "ServiceAccount", namespace, metadataOnly: true },
    }),
  );
  const looked = new Wakeups();
  const images = new CandidateImages(
    { ...shared, plans: plans.store, components: components.store, settings: options.registries },
    looked,
  );
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
      name: "release-plans",
      concurrency,
      reconcile: planReconciler(
        deps,
        planFactsOf({
          applications: applications.store,
          components: components.store,
          quotas: quotas.store,
          accounts: accounts.store,
          namespace,
          expiringOf: (plan) => images.expiringOf(plan),
        }),
      ),
      sources: [
        { reflector: plans },
        { reflector: admissions, keysOf: plansFor },
        { reflector: configs, keysOf: () => plans.store.list().map(keyOf) },
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
        {
          reflector: filterChanges(accounts, () => []),
          keysOf: (account) => [...plansIn(account.metadata.namespace), ...plansFor(account)],
        },
        looked.source,
        ...[applications, components, quotas, accounts].map((reflector) => ({ reflector, keysOf: () => [] })),
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
        ...[plans, components].map((reflector) => ({ reflector, keysOf: () => [] })),
      ],
    }),
    createController({
      ...shared,
      name: "release-admissions",
      concurrency,
      reconcile: admissionReconciler({ ...deps, admissions: new FreshStore(admissions) }),
      sources: [
        // Another admission of the namespace may make this one ambiguous.
        { reflector: admissions, keysOf: ({ metadata }) => admissionsIn(metadata.namespace) },
        { reflector: plans, keysOf: (plan) => admissionsIn(targetOf(plan)) },
        { reflector: configs, keysOf: () => admissions.store.list().map(keyOf) },
      ],
    }),
  ];
}

function targetOf({ spec }: KubeObject): string | undefined {
  const target = isRecord(spec) ? spec["target"] : undefined;
  return typeof target === "string" ? target : undefined;
}

/** Which plans release a component, and the image that they would release next. */
function candidacyOf(component: KubeObject): unknown {
  return [ownerKeysOf(component), currentCandidate(component).image];
}
