import type { StageResult } from "../apparatus/stage-result.ts";
import type { Side, Stage } from "../kinds/names.ts";
import { namespaceOf, type Pair, sideOf } from "../kinds/pair.ts";
import type { InventoryEntry } from "../kinds/shared-status.ts";
import { entryKey, inventoryOf, type Occasion } from "../resources/rendered.ts";
import { mergeEntries, staleEntries } from "../resources/stale-entries.ts";
import type { ResolvedInputs, ResolvedMap } from "../sources/resolved.ts";
import { type Attempt, needsConfigToDecouple, prepareStage } from "./attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { failing } from "./failure.ts";
import { placingOf } from "./own-stages.ts";
import { type Integration, remember } from "./plug-look.ts";
import { isCoupled, isFinished, type Pairing, type PlugMemory } from "./plug-memory.ts";
import { reportPlug } from "./report-plug.ts";
import { removeMade, runHalf } from "./run-half.ts";
import { keepAnswer, lastResult } from "./stage-results.ts";
import { keepState } from "./state-secrets.ts";
import { isOfUpstream, madeByUpstream } from "./take-over.ts";

/**
 * Runs `coupled` or `updated` if it is due. All of it is prepared first; what it is going to make is remembered before it makes
 * it, so that whoever is killed in between leaves nothing behind that nobody knows of.
 */
export async function runStageIfDue(
  integration: Integration,
  inputs: ResolvedInputs,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const { pair, memory } = integration;
  const inputsHash = deps.fingerprint.ofInputs(pair, inputs);
  const last = memory.pairing;
  const isSame = last?.inputsHash === inputsHash;
  if (isSame && isFinished(last) && !last.hasStale) return;
  const stage = isSame ? last.stage : isCoupled(last) ? "updated" : "coupled";
  const attempt = await prepareStage(pair, stage, inputs, placingOf(deps), signal).catch(failing(stage));
  const before =
    last && isOfUpstream(last)
      ? mergeEntries(await madeByUpstream(pair, inputs, deps, signal).catch(failing(stage)), memory.inventory)
      : memory.inventory;
  const planned = inventoryOf([...attempt.plug, ...attempt.socket]);
  const isNew = !isSame || planned.some((entry) => !before.some((known) => entryKey(known) === entryKey(entry)));
  if (isNew) {
    memory.inventory = mergeEntries(before, planned);
    memory.pairing = isSame ? last : pairingFor(pair, stage, inputsHash, last, deps);
    deps.claims.set(pair.plug.metadata.uid ?? "", memory.inventory);
    reportPlug(integration.status, pair.plug, stage === "coupled" ? "CouplingInProcess" : "UpdatingInProcess");
    await remember(integration.status, deps.plugs);
  }
  if (memory.pairing?.hasState && !isFinished(memory.pairing)) {
    await keepConfigs(pair, inputs, isCoupled(last) && last?.hasState === true, deps, signal).catch(failing(stage));
  }
  await runHalves(integration, attempt, inputs, before, deps, signal);
  await removeStale(integration, planned, stage, deps, signal);
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
    // Of all attempts before it, so that going back to what was before is another attempt.
    attempt: fingerprint.ofParts([last?.attempt, inputsHash]),
    done: [],
    ...(needsConfigToDecouple({ plug, socket }) || last?.hasState ? { hasState: true } : {}),
  };
}

async function runHalves(
  integration: Integration,
  attempt: Attempt,
  { plugConfig, socketConfig }: ResolvedInputs,
  known: readonly InventoryEntry[],
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const { pair, memory } = integration;
  const onMade = (made: readonly InventoryEntry[]): void => {
    memory.inventory = mergeEntries(memory.inventory, made);
  };
  const { stage } = attempt;
  for (const object of [pair.plug, pair.socket]) {
    const side = sideOf(object);
    if (memory.pairing?.done.includes(side)) continue;
    const configs = { plugConfig, socketConfig };
    const which = memory.pairing?.attempt;
    const half = { stage, object, pair, attempt: which, ...configs, actions: attempt[side], known, onMade };
    const config = side === "plug" ? plugConfig : socketConfig;
    const onAnswer = (result: StageResult | undefined) =>
      keepAnswer(integration, side, { config, result }, deps, signal);
    await runHalf({ ...half, onAnswer }, deps, signal);
    memory.finish(side);
  }
}

async function removeStale(
  { pair, memory }: Integration,
  planned: readonly InventoryEntry[],
  stage: Stage,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const { pairing } = memory;
  if (!pairing) return;
  const { hasStale: _, ...clean } = pairing;
  memory.pairing = { ...clean, hasStale: true };
  await prune({ pair, memory }, planned, stage, deps, signal).catch(failing(stage));
  memory.pairing = clean;
}

/** Removes what an earlier attempt made and this one does not. */
export async function prune(
  { pair, memory }: { readonly pair: Pair; readonly memory: PlugMemory },
  wanted: readonly InventoryEntry[],
  occasion: Occasion,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  for (const object of [pair.plug, pair.socket]) {
    const stale = staleEntries(memory.inventory, wanted, sideOf(object), occasion);
    if (stale.length === 0) continue;
    await removeMade(stale, object, pair, deps, signal);
    memory.inventory = memory.inventory.filter((entry) => !stale.includes(entry) || entry.retained);
  }
  deps.claims.set(pair.plug.metadata.uid ?? "", memory.inventory);
}

async function keepConfigs(
  pair: Pair,
  { plugConfig, socketConfig }: ResolvedInputs,
  isKnown: boolean,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const keep = async (side: Side, config: ResolvedMap): Promise<void> => {
    const result = await lastResult(pair, side, deps, signal);
    await keepState(pair, side, { config, result }, { isKnown }, deps, signal);
  };
  await Promise.all([keep("plug", plugConfig), keep("socket", socketConfig)]);
}
