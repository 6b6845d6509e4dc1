import { type Pair, sideOf } from "../kinds/index.ts";
import { isOfPairing, mergeEntries } from "../resources/inventory-entries.ts";
import type { PlugAttempt } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { failing } from "./coupling-failure.ts";
import { prepareStage } from "./prepare-stage.ts";
import { resolveConfigs } from "./read-inputs.ts";
import { recallConfigs } from "./recall-configs.ts";
import { runHalf } from "./run-half.ts";
import { placingOf, removeMade } from "./side-actions.ts";
import { keepConfigs } from "./state-secrets.ts";
import { isOfUpstream, madeByUpstream } from "./take-over.ts";

/** Whether `deleted` will tell an apparatus what the plug was coupled to. */
export function hasAudience({ metadata, spec }: Pair["plug"]): boolean {
  return metadata.deletionTimestamp !== undefined && spec.apparatus !== undefined;
}

/** The halves of `decoupled` that are left, each followed by the deletion of its side's objects. */
export async function undoHalves(
  attempt: PlugAttempt,
  pair: Pair,
  left: readonly (Pair["plug"] | Pair["socket"] | undefined)[],
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const { plug, session, memory } = attempt;
  const isTakenOver = memory.pairing !== undefined && isOfUpstream(memory.pairing);
  const configs = await (isTakenOver ? resolveConfigs : recallConfigs)(pair, session, deps, signal).catch(
    failing("decoupled"),
  );
  if (hasAudience(plug) && memory.pairing && !memory.pairing.hasState) {
    memory.pairing = { ...memory.pairing, hasState: true };
    await keepConfigs({ ...attempt, pair }, configs, { isKnown: false }, deps, signal).catch(failing("decoupled"));
  }
  if (isTakenOver) {
    const made = await madeByUpstream(pair, configs, deps, signal).catch(failing("decoupled"));
    memory.inventory = mergeEntries(made, memory.inventory);
  }
  const prepared = await prepareStage(pair, "decoupled", configs, placingOf(deps), signal).catch(failing("decoupled"));
  const waiter = session.waiter(plug);
  for (const object of left) {
    if (!object) continue;
    const side = sideOf(object);
    const actions = prepared[side];
    const onMade: Parameters<typeof runHalf>[0]["onMade"] = (made) => {
      memory.inventory = mergeEntries(memory.inventory, made);
    };
    const which = { stage: "decoupled" as const, attempt: memory.pairing?.attempt };
    const half = { ...which, object, pair, waiter, ...configs, actions, known: memory.inventory, onMade };
    await runHalf(half, deps, signal);
    const made = memory.inventory.filter((entry) => entry.side === side && isOfPairing(entry));
    await removeMade(made, object, pair, deps, signal).catch(failing("decoupled", side));
    memory.inventory = memory.inventory.filter((entry) => !made.includes(entry));
    memory.finish(side);
  }
  deps.claims.set(plug.metadata.uid ?? "", memory.inventory);
}
