import type { Clock, Logger, Metrics } from "#base";
import { createReflector, type KubeClient, type KubeObject, type Reflector } from "#kube";
import { isJsonObject } from "../kinds/json-object.ts";
import { apparatusLabels } from "../kinds/names.ts";
import { byOwner } from "./own-pods.ts";

export interface ApparatusPodsOptions {
  readonly client: KubeClient;
  readonly namespace: string | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: Metrics;
}

const keptStatus = new Set([
  "phase",
  "reason",
  "message",
  "conditions",
  "initContainerStatuses",
  "containerStatuses",
  "podIP",
]);

/** The pods of apparatuses, watched by their label: no other pod is ever looked at. */
export function apparatusPods({ namespace, ...shared }: ApparatusPodsOptions): Reflector {
  return createReflector({
    ...shared,
    selection: { apiVersion: "v1", kind: "Pod", namespace, labelSelector: apparatusLabels.uid },
    transform: withoutSpec,
    indexers: {
      [byOwner]({ metadata: { labels = {} } }) {
        const uid = labels[apparatusLabels.uid];
        return uid === undefined ? [] : [uid];
      },
    },
  });
}

function withoutSpec({ apiVersion, kind, metadata, status }: KubeObject): KubeObject {
  const kept = isJsonObject(status) ? Object.entries(status).filter(([field]) => keptStatus.has(field)) : [];
  return { apiVersion, kind, metadata, status: Object.fromEntries(kept) };
}
