import { InputError } from "#base";
import { keyOf } from "#kube";
import { removeFinalizer } from "#runtime";
import { describeObject, finalizer, parseSocket } from "../kinds/index.ts";
import { isAcknowledged } from "./admit-plug.ts";
import { type FailedAttempt, type PlugAttempt, socketOfPairing } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { giveUpAt, isForced } from "./coupling-failure.ts";
import { decouple } from "./decouple.ts";
import { hiddenSocket, isHidden } from "./hidden-socket.ts";
import { abandonPairing, leaveSocket, reportAbandoned } from "./leave-socket.ts";
import { performDeleted } from "./own-stages.ts";

/** The plug was deleted in spite of its finalizer: deletes its objects as far as possible, without a retry. */
export async function cleanUpAfter(attempt: PlugAttempt, deps: CouplingDeps, signal: AbortSignal): Promise<void> {
  const { pairing } = attempt.memory;
  if (!pairing) return;
  deps.report.log.warn("a plug was deleted in spite of its finalizer", { plug: attempt.session.key });
  await abandonPairing(attempt, pairing, deps, signal);
}

/** Decouples the plug from its socket; after failing for too long, without undoing the rest. */
export async function releasePlug(
  attempt: PlugAttempt,
  deps: CouplingDeps,
  signal: AbortSignal,
): ReturnType<typeof decouple> {
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
  if (memory.pairing) await leaveSocket(attempt, memory.pairing, deps, signal);
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
  if (attempt?.memory.pairing) await leaveSocket(attempt, attempt.memory.pairing, deps, signal);
  await removeFinalizer(deps.cluster.plugs.get(keyOf(object)) ?? object, finalizer, deps.client, signal);
  return true;
}
