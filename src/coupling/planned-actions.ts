import { redact } from "#base";
import { type CouplingEntry, type Side, sides } from "./kinds/index.ts";
import { inventoryOf, staleEntries } from "./resources/inventory-entries.ts";
import type { RenderedAction, ResourcePhase } from "./resources/render-resources.ts";

export interface PlannedAction {
  /** `remove`: it was created before, and would no longer be rendered. */
  readonly do: RenderedAction["do"] | "remove";
  readonly stage: ResourcePhase;
  readonly side: Side;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** Where it comes from: `spec.resources[0].template`. */
  readonly field: string;
  /** It would be put back when others delete or change it. */
  readonly repair?: true;
  /** It would be followed until it is ready. */
  readonly waitFor?: "Message" | "Ready";
}

export function plannedAction(action: RenderedAction): PlannedAction {
  const { side, stage, field, object, isRepaired, waitFor } = action;
  const { apiVersion, kind, metadata } = object;
  const { namespace, name } = metadata;
  const place = namespace === undefined ? {} : { namespace };
  const after = { ...(isRepaired ? { repair: true as const } : {}), ...(waitFor === undefined ? {} : { waitFor }) };
  return { do: action.do, stage, side, apiVersion, kind, ...place, name: redact(name), field, ...after };
}

/** Without the results, it is unknown which of their objects are stale. */
export function staleAfter(
  inventory: readonly CouplingEntry[],
  made: readonly RenderedAction[],
  stage: "coupled" | "updated",
  hasResults: boolean,
): CouplingEntry[] {
  const planned = inventoryOf(made);
  const occasions: readonly ResourcePhase[] = hasResults ? [stage, "result"] : [stage];
  return occasions.flatMap((occasion) => sides.flatMap((side) => staleEntries(inventory, planned, side, occasion)));
}

/** The deletion of an object. Empty for a retained object. */
export function plannedRemoval(entry: CouplingEntry, stage: ResourcePhase): PlannedAction[] {
  const { group, version, kind, namespace, name, side, retained } = entry;
  if (retained) return [];
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const place = namespace === undefined ? {} : { namespace };
  return [{ do: "remove", stage, side, apiVersion, kind, ...place, name, field: "status.inventory" }];
}
