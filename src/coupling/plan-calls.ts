import { addressOf, serviceHost } from "./apparatus/transport/address.ts";
import { candidateNames } from "./apparatus/pods/pod-objects.ts";
import { namespaceOf, type Pair, type Side, sides, type Stage } from "./kinds/index.ts";

/** A call to an apparatus that would be made. */
export interface PlannedCall {
  readonly event: Stage | "config";
  readonly side: Side;
  readonly url: string;
  /** A pod would be started for it. */
  readonly startsPod: boolean;
}

/** In order: both sides are asked for their config before the stage. */
export function plannedCalls(pair: Pair, stage: Stage, clusterDomain: string): PlannedCall[] {
  return (["config", stage] as const).flatMap((event) =>
    sides.flatMap((side) => {
      const object = pair[side];
      const at = addressOf(object, { clusterDomain });
      if (!at) return [];
      const [name = ""] = candidateNames(object);
      const base =
        at.kind === "own" ? `http://${serviceHost(name, namespaceOf(object), clusterDomain)}${at.prefix}` : at.base;
      return [{ event, side, url: `${base}/${event}`, startsPod: at.kind === "own" }];
    }),
  );
}
