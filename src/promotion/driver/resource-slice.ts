import { isRecord } from "#base";
import type { KubeObject } from "#kube";
import { environmentDriver } from "./driver-names.ts";

export const resourceVersion = "resource.k8s.io/v1";

/**
 * How many environments the pods of a node may have at once, as devices for the scheduler: at most 128, as many as Kubernetes allows
 * in a slice. It ends with its node.
 */
export function nodeSlice(node: KubeObject, slots: number): KubeObject {
  const { name, uid = "" } = node.metadata;
  return {
    apiVersion: resourceVersion,
    kind: "ResourceSlice",
    metadata: {
      name: sliceName(name),
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid, controller: true }],
    },
    spec: {
      driver: environmentDriver,
      nodeName: name,
      // With one slice the generation tells nothing: a change of the slice is a change of the pool.
      pool: { name, generation: 1, resourceSliceCount: 1 },
      devices: Array.from({ length: slots }, (_, index) => ({ name: `slot-${index}` })),
    },
  };
}

export function sliceName(node: string): string {
  return `${node}-${environmentDriver}`;
}

/** Whether a slice offers what it should, on the node that there is now. */
export function offersSame(wanted: KubeObject, found: KubeObject | undefined): boolean {
  return found !== undefined && essenceOf(wanted) === essenceOf(found);
}

function essenceOf({ metadata: { ownerReferences = [] }, spec }: KubeObject): string {
  const { nodeName, devices } = isRecord(spec) ? spec : {};
  const names = Array.isArray(devices) ? devices.filter(isRecord).map((device) => device["name"]) : [];
  return JSON.stringify([ownerReferences.map(({ uid }) => uid), nodeName, names]);
}
