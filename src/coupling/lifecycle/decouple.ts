import { describeError, InputError } from "#base";
import { keyOf, type KubeObject } from "#kube";
import { removeFinalizer } from "#runtime";
import { finalizer, warnings } from "../kinds/names.ts";
import { describeObject, type Pair, sideOf } from "../kinds/pair.ts";
import { parseSocket, Socket } from "../kinds/socket.ts";
import { isOfPairing, mergeEntries } from "../resources/inventory-entries.ts";
import { isAcknowledged } from "./admit-plug.ts";
import { type FailedAttempt, type Pairing, type PlugAttempt, saveProgress } from "./coupling-attempt.ts";
import { byUid, type CouplingDeps } from "./coupling-deps.ts";
import { failing, failureOf, giveUpAt, isForced } from "./coupling-failure.ts";
import { hiddenSocket, isHidden } from "./hidden-socket.ts";
import { type Configs, needsConfigToDecouple, noConfig, prepareStage } from "./prepare-stage.ts";
import { holdValues, resolveConfigs } from "./read-inputs.ts";
import type { PlugSession } from "./plug-session.ts";
import { reportPlug } from "./report-status.ts";
import { type LastPairing, performDeleted, placingOf, removeMade, runHalf } from "./run-half.ts";
import { deleteResults, deleteState, isStateKept, keepConfigs, recallState } from "./state-secrets.ts";
import { isOfUpstream, madeByUpstream } from "./take-over.ts";

/** The socket of a pairing, if it still exists: found by uid, because its name may belong to another socket now. */
export function socketOfPairing({ socket }: Pairing, deps: Pick<CouplingDeps, "cluster">): KubeObject | undefined {
  return deps.cluster.sockets.byIndex(byUid, socket.uid)[0];
}

/**
 * Undoes a pairing: `decoupled` on the plug's side, then on the socket's if it still exists, each followed by the deletion of
 * that side's objects; then the socket no longer lists the plug. It uses the configs that were stored when the plug was coupled,
 * so that deleted inputs do not block it. Returns what `deleted` gets of it; for that, a deleted plug with an apparatus keeps the
 * pairing and the stored configs until `deleted` has run.
 */
async function decouple(
  attempt: PlugAttempt,
  pairing: Pairing,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<LastPairing | undefined> {
  const { plug, session, memory, status } = attempt;
  const found = socketOfPairing(pairing, deps);
  const socket = found && parseSocket(found);
  if (memory.pairing?.stage !== "decoupled") {
    memory.pairing = { ...pairing, stage: "decoupled", done: [] };
    if (needsConfigToDecouple({ plug, ...(socket ? { socket } : {}) })) {
      reportPlug(status, plug, "Decoupling");
      await saveProgress(status, deps.cluster.plugs);
    }
  }
  const left = [plug, socket].filter(
    (object) => object !== undefined && memory.pairing?.done.includes(sideOf(object)) === false,
  );
  const pair = { plug, socket: socket ?? lastKnown(pairing) };
  if (left.length > 0) await runHalves(attempt, pair, left, deps, signal);
  // Without the configs, the stage could not be repeated.
  if (memory.pairing?.hasState) await saveProgress(status, deps.cluster.plugs);
  if (!hasAudience(plug)) {
    await leave(attempt, pairing, deps, signal);
    return undefined;
  }
  await deps.roster.leave(pairing.socket.uid, plug.metadata.uid ?? "");
  const [ofPlug, ofSocket] = await storedStates(pair, session, deps, signal).catch(failing("deleted"));
  return {
    socket: pair.socket,
    plugConfig: ofPlug?.config ?? noConfig,
    socketConfig: ofSocket?.config ?? noConfig,
  };
}

/** Whether an apparatus will be told by `deleted` what the plug was coupled to. */
function hasAudience({ metadata, spec }: Pair["plug"]): boolean {
  return metadata.deletionTimestamp !== undefined && spec.apparatus !== undefined;
}

async function runHalves(
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

/** Leaves the socket although a stage failed, and deletes what it can. The caller has reported it. */
async function abandonPairing(
  attempt: PlugAttempt,
  pairing: Pairing,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const { plug, memory } = attempt;
  deps.report.metrics.abandoned();
  const socket = parseIfSound(socketOfPairing(pairing, deps));
  for (const object of [plug, socket]) {
    if (!object) continue;
    const made = memory.inventory.filter((entry) => entry.side === sideOf(object) && isOfPairing(entry));
    await removeMade(made, object, { plug, ...(socket ? { socket } : {}) }, deps, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      deps.report.log.warn("cannot delete objects; they are left behind", {
        plug: attempt.session.key,
        error: describeError(error),
      });
    });
  }
  await leave(attempt, pairing, deps, signal);
}

/** The plug was deleted in spite of its finalizer: deletes its objects as far as possible, without a retry. */
export async function cleanUpAfter(attempt: PlugAttempt, deps: CouplingDeps, signal: AbortSignal): Promise<void> {
  const { pairing } = attempt.memory;
  if (!pairing) return;
  deps.report.log.warn("a plug was deleted in spite of its finalizer", { plug: attempt.session.key });
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
  attempt.session.results.clear();
  deps.claims.set(uid, memory.inventory);
}

/**
 * The configs of the coupling. A config that was not stored, because nothing needed it then, or that was deleted or changed, is
 * resolved again: only that passes the checks of the interface.
 */
async function recallConfigs(
  { plug, socket }: Pair,
  session: PlugSession,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<Configs> {
  if (!needsConfigToDecouple({ plug, socket })) return { plugConfig: noConfig, socketConfig: noConfig };
  const [ofPlug, ofSocket] = await storedStates({ plug, socket }, session, deps, signal);
  // The stored config of a deleted socket is deleted with it, and its inputs may be, too.
  const isGone = deps.cluster.sockets.get(keyOf(socket))?.metadata.uid !== socket.metadata.uid;
  const isAll = ofPlug !== undefined && (ofSocket !== undefined || isGone);
  const now = isAll ? undefined : await resolveConfigs({ plug, socket }, session, deps, signal);
  return {
    plugConfig: ofPlug?.config ?? now?.plugConfig ?? noConfig,
    socketConfig: ofSocket?.config ?? now?.socketConfig ?? noConfig,
  };
}

/** The stored states of both sides, as far as there are any, with their secrets masked from now on. */
async function storedStates(pair: Pair, session: PlugSession, deps: CouplingDeps, signal: AbortSignal) {
  const states = await Promise.all([
    recallState(pair, "plug", deps, signal),
    recallState(pair, "socket", deps, signal),
  ]);
  for (const state of states) {
    if (!state) continue;
    holdValues(state.config, session.secrets);
    // A refusal may repeat what the apparatus once answered.
    session.secrets.hold(state.result.values());
  }
  return states;
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
  const { plug, session, memory } = attempt;
  const { pairing } = memory;
  if (!pairing) return undefined;
  if (isForced(plug)) {
    await abandonPairing(attempt, pairing, deps, signal);
    return undefined;
  }
  try {
    const found = socketOfPairing(pairing, deps);
    if (!found && isHidden(pairing.socket, deps)) throw hiddenSocket(pairing.socket);
    const socket = found && parseSocket(found);
    const isKnown = !socket || (await isAcknowledged({ plug, socket }, pairing, deps, signal));
    if (isKnown) return await decouple(attempt, pairing, deps, signal);
    reportAbandoned(
      plug,
      session,
      new InputError(`${describeObject(socket)} does not list the plug, and would not admit it`),
      deps,
    );
  } catch (error) {
    signal.throwIfAborted();
    const { lastError } = plug.status ?? {};
    const since = lastError?.stage === "decoupled" ? lastError.since : undefined;
    const end = giveUpAt(plug, socketOfPairing(pairing, deps), since, deps);
    if (end === undefined || deps.clock.now() < end) throw error;
    reportAbandoned(plug, session, error, deps);
  }
  await abandonPairing(attempt, pairing, deps, signal);
  return undefined;
}

/** The end of a plug: `decoupled`, `deleted`, then the finalizer is removed. */
export async function finalizePlug(attempt: PlugAttempt, deps: CouplingDeps, signal: AbortSignal): Promise<void> {
  const { plug, session, memory, status } = attempt;
  if (memory.pairing) deps.roster.vacate(memory.pairing.socket.uid, plug.metadata.uid ?? "");
  const lastPairing = await releasePlug(attempt, deps, signal);
  const own = { object: plug, waiter: session.waiter(plug) };
  if (!isForced(plug)) await performDeleted(own, memory.inventory, lastPairing, deps, signal);
  if (memory.pairing) await leave(attempt, memory.pairing, deps, signal);
  await removeFinalizer(status.object, finalizer, deps.client, signal);
}

/** Removes the finalizer of a deleted plug that has failed for too long; false while it may be retried. */
export async function isGivenUp(
  error: unknown,
  {
    object,
    session,
    attempt,
  }: Pick<FailedAttempt, "object" | "session"> & { readonly attempt: PlugAttempt | undefined },
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<boolean> {
  if (object.metadata.deletionTimestamp === undefined) return false;
  const end = giveUpAt(object, undefined, undefined, deps);
  if (end === undefined || deps.clock.now() < end) return false;
  reportAbandoned(object, session, error, deps);
  if (attempt?.memory.pairing) await leave(attempt, attempt.memory.pairing, deps, signal);
  await removeFinalizer(deps.cluster.plugs.get(keyOf(object)) ?? object, finalizer, deps.client, signal);
  return true;
}

function reportAbandoned(plug: KubeObject, session: PlugSession, error: unknown, deps: CouplingDeps): void {
  const { message } = failureOf(error, session.redact);
  deps.report.log.warn("decoupling given up", { plug: keyOf(plug), error: message });
  deps.report.events.Plug.record(plug, {
    type: "Warning",
    reason: warnings.abandoned,
    message: `given up: ${message}`,
  });
}
