import type { Side, Stage } from "../kinds/names.ts";
import { namespaceOf, type Pair, sides } from "../kinds/pair.ts";
import { addressOf, serviceHost } from "./address.ts";
import { candidateNames } from "./pod-objects.ts";

/** A call that an apparatus would get. */
export interface PlannedCall {
  readonly event: Stage | "config";
  readonly side: Side;
  readonly url: string;
  /** A pod would be started for it. */
  readonly startsPod: boolean;
}

/** In the order in which they would be made: both sides are asked for their config before anything is done. */
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
