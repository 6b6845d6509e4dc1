import { keyOf, type KubeObject } from "#kube";
import { type Controller, createController, filterChanges, FreshStore } from "#runtime";
import { promotionAnnotations } from "./kinds/promotion-names.ts";
import { defaultPlanReconciler } from "./onboarding/default-plan-reconciler.ts";
import {
  byTenant,
  createPromotionSources,
  type PromotionSources,
  type PromotionSourcesOptions,
} from "./promotion-sources.ts";

export interface OnboardingOptions extends PromotionSourcesOptions {
  readonly mayWrite?: () => boolean;
  /** Watches that other controllers of the process share; default: own ones. */
  readonly sources?: Pick<PromotionSources, "applications" | "namespaces">;
}

/** The controller that gives Applications their default plans, for `runControllers`. */
export function createOnboarding(options: OnboardingOptions): readonly Controller[] {
  const { client, clock, random, log, metrics, mayWrite = () => true } = options;
  const shared = { client, clock, random, log, ...(metrics ? { metrics } : {}) };
  const { applications, namespaces } = options.sources ?? createPromotionSources(options);
  const applicationsIn = ({ metadata: { name } }: KubeObject): string[] =>
    applications.store.byIndex(byTenant, name).map(keyOf);
  return [
    createController({
      ...shared,
      name: "default-plans",
      reconcile: defaultPlanReconciler({
        client,
        clock,
        log,
        applications: new FreshStore(applications),
        namespaces: namespaces.store,
        mayWrite,
      }),
      sources: [
        { reflector: applications },
        { reflector: filterChanges(namespaces, askedPlan), keysOf: applicationsIn },
        // The source above does not run its reflector.
        { reflector: namespaces, keysOf: () => [] },
      ],
    }),
  ];
}

function askedPlan({ metadata: { annotations = {} } }: KubeObject): unknown {
  return [annotations[promotionAnnotations.defaultPlan], annotations[promotionAnnotations.defaultPlanAuthor]];
}
