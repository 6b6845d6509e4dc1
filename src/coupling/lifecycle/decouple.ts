import { describeError, InputError } from "#base";
import { keyOf, type KubeObject } from "#kube";
import { removeFinalizer } from "#runtime";
import { finalizer, warnings } from "../kinds/names.ts";
import { describeObject, type Pair, sideOf } from "../kinds/pair.ts";
import { parseSocket, Socket } from "../kinds/socket.ts";
import { isOfPairing, mergeEntries } from "../resources/inventory-entries.ts";
import { isAcknowledged } from "./admit-plug.ts";
import { type Pairing, type PlugAttempt, saveProgress } from "./coupling-attempt.ts";
import { byUid, type CouplingDeps, type LastPairing } from "./coupling-deps.ts";
import { failing, failureOf, giveUpAt, isForced } from "./coupling-failure.ts";
import { type Configs, needsConfigToDecouple, noConfig, prepareStage } from "./prepare-stage.ts";
import { holdValues, resolveConfigs } from "./read-inputs.ts";
import { reportPlug } from "./report-status.ts";
import { performDeleted, placingOf, removeMade, runHalf } from "./run-half.ts";
import { deleteResults, deleteState, isStateKept, recallState } from "./state-secrets.ts";
import { isOfUpstream, madeByUpstream } from "./take-over.ts";

/** The socket of a pairing, if it still exists: found by uid, because its name may belong to another socket now. */
export function socketOfPairing({ socket }: Pairing, deps: Pick<CouplingDeps, "sockets">): KubeObject | undefined {
  return deps.sockets.byIndex(byUid, socket.uid)[0];
}

/**
 * Undoes a pairing: `decoupled` on the plug's side, then on the socket's if it still exists, each followed by the deletion of
 * that side's objects; then the socket no longer lists the plug. It uses the configs that were stored when the plug was coupled,
 * so that deleted inputs do not block it. Returns what the stage got.
 */
async function decouple(
  attempt: PlugAttempt,
  pairing: Pairing,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<LastPairing | undefined> {
  const { plug, memory, status } = attempt;
  const found = socketOfPairing(pairing, deps);
  const socket = found && parseSocket(found);
  if (memory.pairing?.stage !== "decoupled") {
    memory.pairing = { ...pairing, stage: "decoupled", done: [] };
    if (needsConfigToDecouple({ plug, ...(socket ? { socket } : {}) })) {
      reportPlug(status, plug, "Decoupling");
      await saveProgress(status, deps.plugs);
    }
  }
  const left = [plug, socket].filter(
    (object) => object !== undefined && memory.pairing?.done.includes(sideOf(object)) === false,
  );
  const pair = { plug, socket: socket ?? lastKnown(pairing) };
  const lastPairing = left.length > 0 ? await runHalves(attempt, pair, left, deps, signal) : undefined;
  // Without the configs, the stage could not be repeated.
  if (pairing.hasState) await saveProgress(status, deps.plugs);
  await leave(attempt, pairing, deps, signal);
  return lastPairing;
}

async function runHalves(
  { plug, memory, held }: PlugAttempt,
  pair: Pair,
  left: readonly (Pair["plug"] | Pair["socket"] | undefined)[],
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<LastPairing> {
  const isTakenOver = memory.pairing !== undefined && isOfUpstream(memory.pairing);
  const configs = await (isTakenOver ? resolveConfigs : recallConfigs)(pair, held, deps, signal).catch(
    failing("decoupled"),
  );
  if (isTakenOver) {
    const made = await madeByUpstream(pair, configs, deps, signal).catch(failing("decoupled"));
    memory.inventory = mergeEntries(made, memory.inventory);
  }
  const prepared = await prepareStage(pair, "decoupled", configs, placingOf(deps), signal).catch(failing("decoupled"));
  for (const object of left) {
    if (!object) continue;
    const side = sideOf(object);
    const actions = prepared[side];
    const onMade: Parameters<typeof runHalf>[0]["onMade"] = (made) => {
      memory.inventory = mergeEntries(memory.inventory, made);
    };
    const which = { stage: "decoupled" as const, attempt: memory.pairing?.attempt };
    const half = { ...which, object, pair, ...configs, actions, known: memory.inventory, onMade };
    await runHalf(half, deps, signal);
    const made = memory.inventory.filter((entry) => entry.side === side && isOfPairing(entry));
    await removeMade(made, object, pair, deps, signal).catch(failing("decoupled", side));
    memory.inventory = memory.inventory.filter((entry) => !made.includes(entry));
    memory.finish(side);
  }
  deps.claims.set(plug.metadata.uid ?? "", memory.inventory);
  return { socket: pair.socket, ...configs };
}

/** Leaves the socket although a stage failed, and deletes what it can. The caller has reported it. */
async function abandonPairing(
  attempt: PlugAttempt,
  pairing: Pairing,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const { plug, memory } = attempt;
  deps.metrics.abandoned();
  const socket = parseIfSound(socketOfPairing(pairing, deps));
  for (const object of [plug, socket]) {
    if (!object) continue;
    const made = memory.inventory.filter((entry) => entry.side === sideOf(object) && isOfPairing(entry));
    await removeMade(made, object, { plug, ...(socket ? { socket } : {}) }, deps, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      deps.log.warn("cannot delete objects; they are left behind", { plug: attempt.key, error: describeError(error) });
    });
  }
  await leave(attempt, pairing, deps, signal);
}

/** The plug was deleted in spite of its finalizer: deletes its objects as far as possible, without a retry. */
export async function cleanUpAfter(attempt: PlugAttempt, deps: CouplingDeps, signal: AbortSignal): Promise<void> {
  const { pairing } = attempt.memory;
  if (!pairing) return;
  deps.log.warn("a plug was deleted in spite of its finalizer", { plug: attempt.key });
  await abandonPairing(attempt, pairing, deps, signal);
}

async function leave(attempt: PlugAttempt, pairing: Pairing, deps: CouplingDeps, signal: AbortSignal): Promise<void> {
  const { plug, memory } = attempt;
  const { uid = "", deletionTimestamp } = plug.metadata;
  await deps.roster.leave(pairing.socket.uid, uid);
  const { namespace = "", name } = socketOfPairing(pairing, deps)?.metadata ?? pairing.socket;
  const socket = { namespace, name };
  if (pairing.hasState || isStateKept(plug, socket, deps)) await deleteState(plug, socket, deps, signal);
  // The garbage collector deletes what a deleted plug owns.
  if (memory.bindingName !== undefined && deletionTimestamp === undefined) await deleteResults(plug, deps, signal);
  memory.inventory = memory.inventory.filter((entry) => entry.side === "plug" && !isOfPairing(entry));
  memory.forgetPairing();
  deps.stageResults.delete(uid);
  deps.claims.set(uid, memory.inventory);
}

/**
 * The configs of the coupling. A config that was not stored, because nothing needed it then, or that was deleted or changed, is
 * resolved again: only that passes the checks of the interface.
 */
async function recallConfigs(
  { plug, socket }: Pair,
  held: PlugAttempt["held"],
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<Configs> {
  if (!needsConfigToDecouple({ plug, socket })) return { plugConfig: noConfig, socketConfig: noConfig };
  const [ofPlug, ofSocket] = await Promise.all([
    recallState({ plug, socket }, "plug", deps, signal),
    recallState({ plug, socket }, "socket", deps, signal),
  ]);
  for (const state of [ofPlug, ofSocket]) {
    if (!state) continue;
    holdValues(state.config, held);
    // A refusal may repeat what the apparatus once answered.
    held.hold(state.result.values());
  }
  // The stored config of a deleted socket is deleted with it, and its inputs may be, too.
  const isGone = deps.sockets.get(keyOf(socket))?.metadata.uid !== socket.metadata.uid;
  const isAll = ofPlug !== undefined && (ofSocket !== undefined || isGone);
  const now = isAll ? undefined : await resolveConfigs({ plug, socket }, held, deps, signal);
  return {
    plugConfig: ofPlug?.config ?? now?.plugConfig ?? noConfig,
    socketConfig: ofSocket?.config ?? now?.socketConfig ?? noConfig,
  };
}

/** A socket that is not valid counts as deleted. */
function parseIfSound(found: KubeObject | undefined): Socket | undefined {
  try {
    return found && parseSocket(found);
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

/** A deleted socket, as far as the pairing describes it. */
function lastKnown({ socket }: Pairing): Socket {
  const { namespace, name, uid } = socket;
  const { apiVersion, kind } = Socket;
  return Socket.parse({ apiVersion, kind, metadata: { namespace, name, uid }, spec: {} });
}

/** Decouples the plug from its socket; after failing for too long, without undoing the rest. */
export async function releasePlug(
  attempt: PlugAttempt,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<LastPairing | undefined> {
  const { plug, memory } = attempt;
  const { pairing } = memory;
  if (!pairing) return undefined;
  if (isForced(plug)) {
    await abandonPairing(attempt, pairing, deps, signal);
    return undefined;
  }
  try {
    const found = socketOfPairing(pairing, deps);
    const socket = found && parseSocket(found);
    const isKnown = !socket || (await isAcknowledged({ plug, socket }, pairing, deps, signal));
    if (isKnown) return await decouple(attempt, pairing, deps, signal);
    reportAbandoned(
      plug,
      new InputError(`${describeObject(socket)} does not list the plug, and would not admit it`),
      deps,
    );
  } catch (error) {
    signal.throwIfAborted();
    const { lastError } = plug.status ?? {};
    const since = lastError?.stage === "decoupled" ? lastError.since : undefined;
    const end = giveUpAt(plug, socketOfPairing(pairing, deps), since, deps);
    if (end === undefined || deps.clock.now() < end) throw error;
    reportAbandoned(plug, error, deps);
  }
  await abandonPairing(attempt, pairing, deps, signal);
  return undefined;
}

/** The end of a plug: `decoupled`, `deleted`, then the finalizer is removed. */
export async function finalizePlug(attempt: PlugAttempt, deps: CouplingDeps, signal: AbortSignal): Promise<void> {
  const { plug, memory, status } = attempt;
  const { uid = "" } = plug.metadata;
  if (memory.pairing) deps.roster.vacate(memory.pairing.socket.uid, uid);
  const left = await releasePlug(attempt, deps, signal);
  if (left) deps.lastPairings.set(uid, left);
  const lastPairing = deps.lastPairings.get(uid);
  for (const config of lastPairing ? [lastPairing.plugConfig, lastPairing.socketConfig] : [])
    holdValues(config, attempt.held);
  if (!isForced(plug)) await performDeleted(plug, memory.inventory, lastPairing, deps, signal);
  await removeFinalizer(status.object, finalizer, deps.client, signal);
}

/** Removes the finalizer of a deleted plug that has failed for too long; false while it may be retried. */
export async function isGivenUp(
  error: unknown,
  object: KubeObject,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<boolean> {
  if (object.metadata.deletionTimestamp === undefined) return false;
  const end = giveUpAt(object, undefined, undefined, deps);
  if (end === undefined || deps.clock.now() < end) return false;
  reportAbandoned(object, error, deps);
  await removeFinalizer(deps.plugs.get(keyOf(object)) ?? object, finalizer, deps.client, signal);
  return true;
}

function reportAbandoned(plug: KubeObject, error: unknown, deps: CouplingDeps): void {
  const { message } = failureOf(error, deps.secrets.redactFor(plug.metadata.uid ?? ""));
  deps.log.warn("decoupling given up", { plug: keyOf(plug), error: message });
  deps.events.Plug.record(plug, { type: "Warning", reason: warnings.abandoned, message: `given up: ${message}` });
}
