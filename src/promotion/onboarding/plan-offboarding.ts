import { isRecord } from "#base";
import type { KubeClient, KubeObject } from "#kube";
import { Application } from "../kinds/application.ts";
import { Component } from "../kinds/component.ts";
import { promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import { Propagation } from "../kinds/propagation.ts";
import { Release } from "../kinds/release.ts";
import { ReleasePlan } from "../kinds/release-plan.ts";
import { Snapshot } from "../kinds/snapshot.ts";
import { onboardingName } from "./default-plan.ts";

export interface OffboardingPlan {
  readonly deleted: readonly KubeObject[];
  readonly kept: readonly { readonly object: KubeObject; readonly reason: string }[];
  /** The namespace, if it asks for default plans: that ends. */
  readonly namespace: KubeObject | undefined;
  /** What stays, by kind. */
  readonly history: Readonly<Record<string, number>>;
}

const rbac = "rbac.authorization.k8s.io/v1";
/** What releases is deleted first, so that nothing is released half-way. */
const onboardedKinds = [
  { apiVersion: ReleasePlan.apiVersion, kind: ReleasePlan.kind },
  { apiVersion: Propagation.apiVersion, kind: Propagation.kind },
  { apiVersion: "tekton.dev/v1", kind: "Pipeline" },
  { apiVersion: "tekton.dev/v1", kind: "Task" },
  { apiVersion: Application.apiVersion, kind: Application.kind },
  { apiVersion: rbac, kind: "RoleBinding" },
  { apiVersion: rbac, kind: "Role" },
  { apiVersion: "v1", kind: "ServiceAccount" },
];

/** What offboarding a namespace would delete: what onboarding made, and no history. */
export async function planOffboarding(
  namespace: string,
  client: KubeClient,
  signal: AbortSignal,
): Promise<OffboardingPlan> {
  const served = await client.discovery.resources(signal);
  const list = async ({ apiVersion, kind }: { apiVersion: string; kind: string }, labelSelector?: string) => {
    if (!served.some((each) => each.apiVersion === apiVersion && each.kind === kind)) return [];
    return (await client.list({ apiVersion, kind, namespace, labelSelector }, signal)).items;
  };
  const made: KubeObject[] = [];
  for (const kind of onboardedKinds) {
    const labelled = await list(kind, `${promotionLabels.onboarding}=${onboardingName}`);
    // The garbage collector takes its time to let objects go whose dependents stay.
    made.push(...labelled.filter(({ metadata }) => metadata.deletionTimestamp === undefined));
  }
  const components = await list(Component);
  const snapshots = await list(Snapshot);
  const releases = await list(Release);
  const found = await client.find({ apiVersion: "v1", kind: "Namespace", name: namespace }, signal);
  return {
    ...decideOffboarding(made, [...components, ...snapshots]),
    namespace: found?.metadata.annotations?.[promotionAnnotations.defaultPlan] === undefined ? undefined : found,
    history: { Component: components.length, Snapshot: snapshots.length, Release: releases.length },
  };
}

/** An Application with components or Snapshots stays: they would belong to nothing. */
function decideOffboarding(
  made: readonly KubeObject[],
  owned: readonly KubeObject[],
): Pick<OffboardingPlan, "deleted" | "kept"> {
  const deleted: KubeObject[] = [];
  const kept: { object: KubeObject; reason: string }[] = [];
  for (const object of made) {
    const { name, annotations = {} } = object.metadata;
    const helm = annotations["meta.helm.sh/release-name"];
    const own = owned.filter(({ spec }) => isRecord(spec) && spec["application"] === name);
    if (helm !== undefined) {
      kept.push({ object, reason: `Helm's release ${helm} installed it: use helm uninstall ${helm}` });
    } else if (object.kind === Application.kind && own.length > 0) {
      kept.push({
        object,
        reason: `${own.length} components and Snapshots belong to it; delete it yourself with them`,
      });
    } else deleted.push(object);
  }
  return { deleted, kept };
}
