import type { Result } from "#runtime";
import { deletionPolicyOf, parseSocket, requestedSocket, type SocketName } from "../kinds/index.ts";
import { isAcknowledged } from "./admit-plug.ts";
import { couplePlug } from "./couple-plug.ts";
import { type PlugAttempt, socketOfPairing } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { isHidden } from "./hidden-socket.ts";
import { stayWithHidden, suspend } from "./pause-plug.ts";
import { reasonToWait } from "./reason-to-wait.ts";
import { releasePlug } from "./release-plug.ts";
import { reportPlug } from "./report-status.ts";
import { tendWaitingPlug } from "./tend-plug.ts";

/** Leaves the current socket if necessary, and couples to the one that the plug names. */
export async function advancePlug(attempt: PlugAttempt, deps: CouplingDeps, signal: AbortSignal): Promise<Result> {
  const { plug, session, memory, status } = attempt;
  const { pairing } = memory;
  const paired = pairing && socketOfPairing(pairing, deps);
  const isExpelled =
    paired?.metadata.deletionTimestamp !== undefined && deletionPolicyOf(parseSocket(paired)) === "Decouple";
  const wanted = requestedSocket(plug);
  const found = wanted && deps.cluster.sockets.get(`${wanted.namespace}/${wanted.name}`);
  if (pairing && wanted && isHidden(pairing.socket, deps) && isSame(pairing.socket, wanted)) {
    return stayWithHidden(attempt, wanted, deps);
  }
  const suspended = [plug, paired && parseSocket(paired)].find((object) => object?.spec.suspend);
  if (suspended && !isExpelled) return suspend(attempt, suspended, deps);
  if (pairing && (pairing.stage === "decoupled" || isExpelled || found?.metadata.uid !== pairing.socket.uid)) {
    await releasePlug(attempt, deps, signal);
  }
  const socket = found && parseSocket(found);
  if (memory.pairing && socket && !(await isAcknowledged({ plug, socket }, memory.pairing, deps, signal))) {
    await releasePlug(attempt, deps, signal);
  }
  const wait = reasonToWait(attempt, wanted, socket, deps);
  if (!socket || wait) {
    deps.roster.stopWaiting(session.key);
    const result = await tendWaitingPlug(attempt, deps, signal);
    reportPlug(status, plug, ...(wait ?? ["SocketNotCreated" as const]));
    return result;
  }
  if (socket.spec.suspend && !memory.pairing) return suspend(attempt, socket, deps);
  return await couplePlug({ ...attempt, pair: { plug, socket } }, deps, signal);
}

function isSame(one: SocketName, other: SocketName): boolean {
  return one.namespace === other.namespace && one.name === other.name;
}
