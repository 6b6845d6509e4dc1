import { liveAttribution, type ManagedObject, ownerOf, suspendAnnotation } from "#inventory";
import type { KubeClient } from "#kube";
import { managerIdentity } from "../manager-defaults.ts";
import type { PlannedRun } from "../plan/plan-desired.ts";

/** A live object that carries, or gets, the annotation that suspends its integration. */
export interface MarkedObject {
  readonly integration: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

const workloads: ReadonlySet<string> = new Set(["Deployment", "StatefulSet", "CronJob"]);
const fieldManager = "tenon-suspend";

type IsMeant = (target: Pick<MarkedObject, "integration" | "cluster" | "namespace">) => boolean;
type Read = Pick<PlannedRun, "inventory" | "desired">;

/** The live objects to annotate so that these integrations are suspended: their workloads, or all they have if that is none. */
export function objectsToSuspend(planned: Read, isMeant: IsMeant): MarkedObject[] {
  const own = liveObjects(planned, (object) => ownerOf(object.metadata) === managerIdentity.integration);
  const byPlace = Map.groupBy(own.filter(isMeant), ({ integration, cluster, namespace }) =>
    JSON.stringify([integration, cluster, namespace]),
  );
  return [...byPlace.values()].flatMap((found) => {
    const running = found.filter(({ kind }) => workloads.has(kind));
    return running.length > 0 ? running : found;
  });
}

/** The live objects whose annotation suspends these integrations. */
export function objectsToResume(planned: Read, isMeant: IsMeant): MarkedObject[] {
  return liveObjects(planned, (object) => object.annotation(suspendAnnotation) !== undefined).filter(isMeant);
}

function liveObjects({ inventory, desired }: Read, isChosen: (object: ManagedObject) => boolean): MarkedObject[] {
  const attribute = liveAttribution(desired.names);
  return [...inventory].flatMap(({ cluster, namespace, current }) =>
    [...current.values()].filter(isChosen).flatMap(({ metadata, apiVersion, kind, name }) => {
      const integration = attribute(metadata);
      return integration === undefined ? [] : [{ integration, cluster, namespace, apiVersion, kind, name }];
    }),
  );
}

/** Writes the reason on the objects, or removes the annotation if there is none. */
export async function annotateObjects(
  objects: readonly MarkedObject[],
  reason: string | undefined,
  clusters: { get(cluster: string): Pick<KubeClient, "patch"> | undefined },
  signal: AbortSignal,
): Promise<void> {
  const body = { metadata: { annotations: { [suspendAnnotation]: reason ?? null } } };
  for (const { cluster, namespace, apiVersion, kind, name } of objects) {
    const ref = { apiVersion, kind, namespace, name };
    await clusters.get(cluster)?.patch(ref, { type: "merge", body, fieldManager }, signal);
  }
}
