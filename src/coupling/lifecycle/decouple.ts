import { describeError, InputError } from "#base";
import { keyOf, type KubeObject } from "#kube";
import { type Pair, sideOf } from "../kinds/pair.ts";
import { parseSocket } from "../kinds/parse-socket.ts";
import { Socket } from "../kinds/socket.ts";
import { isOfPairing, mergeEntries } from "../resources/stale-entries.ts";
import { type Configs, needsConfigToDecouple, noConfig, prepareStage } from "./attempt.ts";
import { byUid, type CouplingDeps, type Farewell } from "./coupling-deps.ts";
import { failing } from "./failure.ts";
import { resolveConfigs } from "./integrate.ts";
import { placingOf } from "./own-stages.ts";
import { type PlugLook, remember } from "./plug-look.ts";
import type { Pairing } from "./plug-memory.ts";
import { reportPlug } from "./report-plug.ts";
import { removeMade, runHalf } from "./run-half.ts";
import { holdValues } from "./source-readers.ts";
import { dropConfigs, dropResults, isStateKept, recallState } from "./state-secrets.ts";
import { isOfUpstream, madeByUpstream } from "./take-over.ts";

/** The socket of a pairing, if it is still there: not one that has its name now, nor none because somebody wrote another name. */
export function socketOfPairing({ socket }: Pairing, deps: Pick<CouplingDeps, "sockets">): KubeObject | undefined {
  return deps.sockets.byIndex(byUid, socket.uid)[0];
}

/**
 * Undoes a pairing: `decoupled` on the plug's side, then on the socket's if it is still there, each followed by the removal of
 * what that side made; then the socket lists the plug no more. It uses the configs that were kept when it was coupled, so that
 * inputs that are gone by now hold up nothing. Gives back what the stage was told.
 */
export async function decouple(
  look: PlugLook,
  pairing: Pairing,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<Farewell | undefined> {
  const { plug, memory, status } = look;
  const found = socketOfPairing(pairing, deps);
  const socket = found && parseSocket(found);
  if (memory.pairing?.stage !== "decoupled") {
    memory.pairing = { ...pairing, stage: "decoupled", done: [] };
    if (needsConfigToDecouple({ plug, ...(socket ? { socket } : {}) })) {
      reportPlug(status, plug, "Decoupling");
      await remember(status, deps.plugs);
    }
  }
  const left = [plug, socket].filter(
    (object) => object !== undefined && memory.pairing?.done.includes(sideOf(object)) === false,
  );
  const pair = { plug, socket: socket ?? lastKnown(pairing) };
  const farewell = left.length > 0 ? await runHalves(look, pair, left, deps, signal) : undefined;
  // Once the configs are dropped, the stage could not be repeated.
  if (pairing.hasState) await remember(status, deps.plugs);
  await leave(look, pairing, deps, signal);
  return farewell;
}

async function runHalves(
  { plug, memory, held }: PlugLook,
  pair: Pair,
  left: readonly (Pair["plug"] | Pair["socket"] | undefined)[],
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<Farewell> {
  const isTakenOver = memory.pairing !== undefined && isOfUpstream(memory.pairing);
  const configs = await (isTakenOver ? resolveConfigs : recallConfigs)(pair, held, deps, signal).catch(
    failing("decoupled"),
  );
  if (isTakenOver) {
    const made = await madeByUpstream(pair, configs, deps, signal).catch(failing("decoupled"));
    memory.inventory = mergeEntries(made, memory.inventory);
  }
  const attempt = await prepareStage(pair, "decoupled", configs, placingOf(deps), signal).catch(failing("decoupled"));
  for (const object of left) {
    if (!object) continue;
    const side = sideOf(object);
    const actions = attempt[side];
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

/** Leaves the socket although something cannot be undone; what can be deleted is. Whoever gave up on it has said so. */
export async function abandonPairing(
  look: PlugLook,
  pairing: Pairing,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const { plug, memory } = look;
  deps.metrics.abandoned();
  const socket = parseIfSound(socketOfPairing(pairing, deps));
  for (const object of [plug, socket]) {
    if (!object) continue;
    const made = memory.inventory.filter((entry) => entry.side === sideOf(object) && isOfPairing(entry));
    await removeMade(made, object, { plug, ...(socket ? { socket } : {}) }, deps, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      deps.log.warn("left behind", { plug: look.key, error: describeError(error) });
    });
  }
  await leave(look, pairing, deps, signal);
}

/** The plug has vanished, and nobody will come back to it: what it made is removed as far as that can be done. */
export async function cleanUpAfter(look: PlugLook, deps: CouplingDeps, signal: AbortSignal): Promise<void> {
  const { pairing } = look.memory;
  if (!pairing) return;
  deps.log.warn("a plug vanished in spite of its finalizer", { plug: look.key });
  await abandonPairing(look, pairing, deps, signal);
}

async function leave(look: PlugLook, pairing: Pairing, deps: CouplingDeps, signal: AbortSignal): Promise<void> {
  const { plug, memory } = look;
  const { uid = "", deletionTimestamp } = plug.metadata;
  await deps.roster.leave(pairing.socket.uid, uid);
  const { namespace = "", name } = socketOfPairing(pairing, deps)?.metadata ?? pairing.socket;
  const socket = { namespace, name };
  if (pairing.hasState || isStateKept(plug, socket, deps)) await dropConfigs(plug, socket, deps, signal);
  // What a plug owns goes with it.
  if (memory.bindingName !== undefined && deletionTimestamp === undefined) await dropResults(plug, deps, signal);
  memory.inventory = memory.inventory.filter((entry) => entry.side === "plug" && !isOfPairing(entry));
  memory.forgetPairing();
  deps.stageResults.delete(uid);
  deps.claims.set(uid, memory.inventory);
}

/**
 * As they were when it was coupled. One that was not kept, because nothing needed it then, or that somebody deleted or changed, is
 * as it is now: nothing else would be what the interface has let through.
 */
async function recallConfigs(
  { plug, socket }: Pair,
  held: PlugLook["held"],
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
    // What the apparatus once answered, it may say again in a refusal.
    held.hold(state.result.values());
  }
  // What was kept for a socket goes with it, and so do its inputs.
  const isGone = deps.sockets.get(keyOf(socket))?.metadata.uid !== socket.metadata.uid;
  const isAll = ofPlug !== undefined && (ofSocket !== undefined || isGone);
  const now = isAll ? undefined : await resolveConfigs({ plug, socket }, held, deps, signal);
  return {
    plugConfig: ofPlug?.config ?? now?.plugConfig ?? noConfig,
    socketConfig: ofSocket?.config ?? now?.socketConfig ?? noConfig,
  };
}

/** One that cannot be read is as good as gone. */
function parseIfSound(found: KubeObject | undefined): Socket | undefined {
  try {
    return found && parseSocket(found);
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

/** A socket that is gone, as far as it is remembered. */
function lastKnown({ socket }: Pairing): Socket {
  const { namespace, name, uid } = socket;
  const { apiVersion, kind } = Socket;
  return Socket.parse({ apiVersion, kind, metadata: { namespace, name, uid }, spec: {} });
}
