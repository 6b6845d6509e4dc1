import type { Clock, Logger } from "#base";
import type { KubeClient, KubeObject, ObjectStore } from "#kube";
import type { FreshStore } from "#runtime";
import type { OwnerKindName } from "../kinds/ephemeral-claim.ts";
import type { ClassSettings } from "./class-settings.ts";
import type { EnvironmentMetrics } from "./environment-metrics.ts";
import type { EnvironmentProvider } from "./environment-provider.ts";

export interface ClaimDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: EnvironmentMetrics;
  readonly claims: FreshStore;
  readonly classes: FreshStore;
  /** Runs that may own claims, as far as the cluster has such kinds. */
  readonly owners: Readonly<Record<OwnerKindName, OwnerSource>>;
  /** The metadata of the Secrets with kubeconfigs, and of the namespaces of this cluster that are environments. */
  readonly secrets: ObjectStore;
  readonly namespaces: ObjectStore;
  /** Claims whose turn it is, until their status says so. */
  readonly admitted: Set<string>;
  readonly providerOf: (settings: ClassSettings | undefined, signal: AbortSignal) => Promise<EnvironmentProvider>;
  readonly mayWrite: () => boolean;
}

export interface OwnerSource {
  readonly store: ObjectStore;
  readonly isServed: boolean;
}

/** Claims by the name of their class. */
export const byClassName = "class";
/** Claims by the run that they are for, as `Kind namespace/name`. */
export const byClaimOwner = "owner";

export function ownerIndexKey(kind: string, namespace: string, name: string): string {
  return `${kind} ${namespace}/${name}`;
}

export function classNameOf({ spec }: KubeObject): string | undefined {
  const name = typeof spec === "object" && spec !== null && "className" in spec ? spec.className : undefined;
  return typeof name === "string" ? name : undefined;
}
