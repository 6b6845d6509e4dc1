import { type CouplingEntry, sideOf } from "../kinds/index.ts";
import { inventoryOf, mergeEntries } from "../resources/inventory-entries.ts";
import type { RenderedAction } from "../resources/render-resources.ts";
import type { LastPairing } from "./call-body.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { failing } from "./coupling-failure.ts";
import { noConfig, prepareOwnStage } from "./prepare-stage.ts";
import { runHalf, type StageHalf } from "./run-half.ts";
import { placingOf, removeMade } from "./side-actions.ts";
import { isCreated } from "./unparsed-objects.ts";

/** A stage without another side, and who waits for its apparatus. */
type OwnStage = Pick<StageHalf, "object" | "waiter">;

/** The stage `created` of a plug or a socket. Saves the planned inventory first; returns the final one. */
export async function performCreated(
  own: OwnStage,
  before: readonly CouplingEntry[],
  remember: (inventory: readonly CouplingEntry[]) => Promise<void>,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<readonly CouplingEntry[]> {
  const { object } = own;
  const actions = await prepareOwnStage(object, "created", placingOf(deps), signal).catch(
    failing("created", sideOf(object)),
  );
  let inventory = mergeEntries(before, inventoryOf(actions));
  if (actions.length > 0) await remember(inventory);
  const onMade = (made: readonly CouplingEntry[]): void => {
    inventory = mergeEntries(inventory, made);
  };
  await runHalf(ownHalf(own, "created", actions, before, onMade), deps, signal);
  return inventory;
}

/** The stage `deleted`, and the deletion of the objects of `created`. What was never created is not deleted. */
export async function performDeleted(
  own: OwnStage,
  inventory: readonly CouplingEntry[],
  lastPairing: LastPairing | undefined,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const { object } = own;
  const side = sideOf(object);
  if (isCreated(object)) {
    const actions = await prepareOwnStage(object, "deleted", placingOf(deps), signal).catch(failing("deleted", side));
    const half = ownHalf(own, "deleted", actions, inventory, () => {});
    await runHalf(lastPairing ? { ...half, lastPairing } : half, deps, signal);
  }
  const made = inventory.filter((entry) => entry.side === side && entry.stage === "created");
  await removeMade(made, object, {}, deps, signal).catch(failing("deleted", side));
}

function ownHalf(
  own: OwnStage,
  stage: "created" | "deleted",
  actions: readonly RenderedAction[],
  known: readonly CouplingEntry[],
  onMade: StageHalf["onMade"],
): StageHalf {
  return { ...own, stage, pair: {}, plugConfig: noConfig, socketConfig: noConfig, actions, known, onMade };
}
