import { compareText } from "#base";
import { type Attribute, type PlanOptions, type ResourceInventory, suspendAnnotation } from "#inventory";
import type { Desired } from "../desired/desired.ts";
import { targetKey } from "../survey/survey-namespaces.ts";

/** An integration that is kept as it is in one namespace. */
export interface SuspendedIntegration {
  readonly integration: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly reason: string;
  /** By its data file, or by an annotation of a live object. */
  readonly by: "data" | "annotation";
  /** The file, or the object. */
  readonly where: string;
}

/** What is suspended in the namespaces that were read. */
export interface Suspended {
  /** Sorted, one for each integration and namespace that has or wants objects of it. */
  readonly integrations: readonly SuspendedIntegration[];
  /** For `planChanges`: everything of a suspended integration is left as it is. */
  readonly holdBack: NonNullable<PlanOptions["holdBack"]>;
}

/** A namespace with the integrations that have or want objects there. */
interface Place {
  readonly cluster: string;
  readonly namespace: string;
  readonly integrations: Set<string>;
}

/**
 * Finds what is suspended: by the data, or by the annotation `tenon.dev/suspend` on any live object of the integration. What
 * integrations share is kept too where all of them are suspended.
 */
export function findSuspended(
  { suspensions }: Pick<Desired, "suspensions">,
  inventory: ResourceInventory,
  attribute: Attribute,
): Suspended {
  const found = new Map<string, SuspendedIntegration>();
  const places = new Map<string, Place>();
  for (const { cluster, namespace, current, desired } of inventory) {
    const key = targetKey(cluster, namespace);
    const place = places.get(key) ?? { cluster, namespace, integrations: new Set() };
    places.set(key, place);
    for (const { attribution } of desired.values()) if (attribution !== undefined) place.integrations.add(attribution);
    for (const object of current.values()) {
      const integration = attribute(object.metadata);
      if (integration === undefined) continue;
      place.integrations.add(integration);
      const reason = reasonIn(object.annotation(suspendAnnotation));
      if (reason === undefined) continue;
      const one = { integration, cluster, namespace, reason, where: `${object.kind} ${object.name}` };
      found.set(keyOf(one), { ...one, by: "annotation" });
    }
  }
  for (const { integration, target, reason, where } of suspensions) {
    for (const { cluster, namespace, integrations } of places.values()) {
      const isMeant = !target || (target.cluster === cluster && target.namespace === namespace);
      if (!isMeant || !integrations.has(integration)) continue;
      const one = { integration, cluster, namespace, reason, where };
      found.set(keyOf(one), { ...one, by: "data" });
    }
  }
  return {
    integrations: [...found.values()].toSorted((one, other) => compareText(keyOf(one), keyOf(other))),
    holdBack({ cluster, namespace, attribution }) {
      const shared = places.get(targetKey(cluster, namespace))?.integrations ?? [];
      const concerned = attribution === undefined ? [...shared] : [attribution];
      const all = concerned.map((integration) => found.get(keyOf({ integration, cluster, namespace })));
      const [first] = all;
      return first && all.every((each) => each !== undefined) ? describeHeld(first) : undefined;
    },
  };
}

/** Whatever the annotation says is the reason; only `false` means that it is not suspended. */
function reasonIn(value: string | undefined): string | undefined {
  if (value === undefined || value === "false") return undefined;
  return value === "" || value === "true" ? "no reason given" : value;
}

function describeHeld(suspended: SuspendedIntegration): { readonly reason: string; readonly next: string } {
  return { reason: `suspended: ${suspended.reason}`, next: howToResume(suspended) };
}

/** What to do so that the changes are made. */
export function howToResume({ integration, cluster, namespace, by, where }: SuspendedIntegration): string {
  if (by === "data") return `to resume, remove suspend from ${where}`;
  const command = `tenon resume ${integration} --cluster ${cluster} --namespace ${namespace}`;
  return `to resume: ${command}, or remove the annotation ${suspendAnnotation} of ${where}`;
}

function keyOf({
  integration,
  cluster,
  namespace,
}: Pick<SuspendedIntegration, "integration" | "cluster" | "namespace">): string {
  return JSON.stringify([integration, cluster, namespace]);
}
