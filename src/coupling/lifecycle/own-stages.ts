import { sideOf } from "../kinds/pair.ts";
import type { Plug } from "../kinds/plug.ts";
import type { InventoryEntry } from "../kinds/shared-status.ts";
import type { Socket } from "../kinds/socket.ts";
import type { PlacingOptions } from "../resources/place-actions.ts";
import { inventoryOf, type RenderedAction } from "../resources/rendered.ts";
import { mergeEntries } from "../resources/stale-entries.ts";
import { noConfig, prepareOwnStage } from "./attempt.ts";
import type { CouplingDeps, Farewell } from "./coupling-deps.ts";
import { failing } from "./failure.ts";
import { type Half, removeMade, runHalf } from "./run-half.ts";

export function placingOf({ client, allowClusterScoped }: CouplingDeps): PlacingOptions {
  return { discovery: client.discovery, allowClusterScoped };
}

/** The stage `created` of a plug or a socket. What it is going to make is remembered first; gives back what it has made. */
export async function runCreated(
  object: Plug | Socket,
  before: readonly InventoryEntry[],
  remember: (inventory: readonly InventoryEntry[]) => Promise<void>,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<readonly InventoryEntry[]> {
  const actions = await prepareOwnStage(object, "created", placingOf(deps), signal).catch(
    failing("created", sideOf(object)),
  );
  let inventory = mergeEntries(before, inventoryOf(actions));
  if (actions.length > 0) await remember(inventory);
  const onMade = (made: readonly InventoryEntry[]): void => {
    inventory = mergeEntries(inventory, made);
  };
  await runHalf(ownHalf(object, "created", actions, before, onMade), deps, signal);
  return inventory;
}

/** The stage `deleted`, and the removal of what `created` made. `farewell`: what the object was paired with last, if that is known. */
export async function runDeleted(
  object: Plug | Socket,
  inventory: readonly InventoryEntry[],
  farewell: Farewell | undefined,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const side = sideOf(object);
  const actions = await prepareOwnStage(object, "deleted", placingOf(deps), signal).catch(failing("deleted", side));
  const half = ownHalf(object, "deleted", actions, inventory, () => {});
  await runHalf(farewell ? { ...half, farewell } : half, deps, signal);
  const made = inventory.filter((entry) => entry.side === side && entry.stage === "created");
  await removeMade(made, object, {}, deps, signal).catch(failing("deleted", side));
}

function ownHalf(
  object: Plug | Socket,
  stage: "created" | "deleted",
  actions: readonly RenderedAction[],
  known: readonly InventoryEntry[],
  onMade: Half["onMade"],
): Half {
  return { stage, object, pair: {}, plugConfig: noConfig, socketConfig: noConfig, actions, known, onMade };
}
