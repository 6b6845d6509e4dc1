import { type CouplingEntry, namespaceOf, type Pair, type Stage } from "../kinds/index.ts";
import { entryKey, inventoryOf, mergeEntries } from "../resources/inventory-entries.ts";
import type { ResolvedInputs } from "../sources/resolved.ts";
import { type CouplingAttempt, isCoupled, isFinished, type Pairing, saveProgress } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { failing } from "./coupling-failure.ts";
import { needsConfigToDecouple, prepareStage } from "./prepare-stage.ts";
import { pruneObjects } from "./prune-objects.ts";
import { reportPlug } from "./report-status.ts";
import { runHalves } from "./run-halves.ts";
import { placingOf } from "./side-actions.ts";
import { keepConfigs } from "./state-secrets.ts";
import { isOfUpstream, madeByUpstream } from "./take-over.ts";

/**
 * Runs `coupled` or `updated` if it is due. Everything is prepared first, and the planned objects are saved before the first one
 * is created, so that a kill leaves no unknown object behind.
 */
export async function runStageIfDue(
  attempt: CouplingAttempt,
  inputs: ResolvedInputs,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const { pair, memory } = attempt;
  const inputsHash = deps.fingerprint.ofInputs(pair, inputs);
  const last = memory.pairing;
  const isSame = last?.inputsHash === inputsHash;
  if (isSame && isFinished(last) && !last.hasStale) return;
  const stage = isSame ? last.stage : isCoupled(last) ? "updated" : "coupled";
  const prepared = await prepareStage(pair, stage, inputs, placingOf(deps), signal).catch(failing(stage));
  const before =
    last && isOfUpstream(last)
      ? mergeEntries(await madeByUpstream(pair, inputs, deps, signal).catch(failing(stage)), memory.inventory)
      : memory.inventory;
  const planned = inventoryOf([...prepared.plug, ...prepared.socket]);
  const isNew = !isSame || planned.some((entry) => !before.some((known) => entryKey(known) === entryKey(entry)));
  if (isNew) {
    memory.inventory = mergeEntries(before, planned);
    memory.pairing = isSame ? last : pairingFor(pair, stage, inputsHash, last, deps);
    deps.claims.set(pair.plug.metadata.uid ?? "", memory.inventory);
    reportPlug(attempt.status, pair.plug, stage === "coupled" ? "CouplingInProcess" : "UpdatingInProcess");
    await saveProgress(attempt.status, deps.cluster.plugs);
  }
  if (memory.pairing?.hasState && !isFinished(memory.pairing)) {
    await keepConfigs(attempt, inputs, { isKnown: isCoupled(last) && last?.hasState === true }, deps, signal).catch(
      failing(stage),
    );
  }
  await runHalves(attempt, prepared, inputs, before, deps, signal);
  await removeStale(attempt, planned, stage, deps, signal);
}

function pairingFor(
  { plug, socket }: Pair,
  stage: Stage,
  inputsHash: string,
  last: Pairing | undefined,
  { fingerprint }: CouplingDeps,
): Pairing {
  const { namespace, name, uid } = { namespace: namespaceOf(socket), ...socket.metadata };
  return {
    socket: { namespace, name, uid: uid ?? "" },
    stage,
    generation: plug.metadata.generation ?? 0,
    socketGeneration: socket.metadata.generation ?? 0,
    inputsHash,
    // Derived from all attempts before it, so that a return to old inputs is a new attempt.
    attempt: fingerprint.ofParts([last?.attempt, inputsHash]),
    done: [],
    ...(needsConfigToDecouple({ plug, socket }) || last?.hasState ? { hasState: true } : {}),
  };
}

async function removeStale(
  { pair, memory }: CouplingAttempt,
  planned: readonly CouplingEntry[],
  stage: Stage,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const { pairing } = memory;
  if (!pairing) return;
  const { hasStale: _, ...clean } = pairing;
  memory.pairing = { ...clean, hasStale: true };
  await pruneObjects({ pair, memory }, planned, stage, deps, signal).catch(failing(stage));
  memory.pairing = clean;
}
