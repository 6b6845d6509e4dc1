import { parseSocket, sideOf, Socket } from "../kinds/index.ts";
import { releaseWorkloads } from "../projection/project-binding.ts";
import type { LastPairing } from "./call-body.ts";
import { type Pairing, type PlugAttempt, saveProgress, socketOfPairing } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { failing } from "./coupling-failure.ts";
import { leaveSocket } from "./leave-socket.ts";
import { needsConfigToDecouple, noConfig } from "./prepare-stage.ts";
import { storedStates } from "./recall-configs.ts";
import { reportPlug } from "./report-status.ts";
import { hasAudience, undoHalves } from "./undo-halves.ts";

/**
 * Undoes a pairing: `decoupled` on the plug's side, then on the socket's if it still exists, each followed by the deletion of
 * that side's objects; then the socket no longer lists the plug. It uses the configs that were stored when the plug was coupled,
 * so that deleted inputs do not block it. Returns what `deleted` gets of it; for that, a deleted plug with an apparatus keeps the
 * pairing and the stored configs until `deleted` has run.
 */
export async function decouple(
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
  await releaseWorkloads(attempt, deps, signal).catch(failing("decoupled", "plug"));
  if (left.length > 0) await undoHalves(attempt, pair, left, deps, signal);
  // Without the configs, the stage could not be repeated.
  if (memory.pairing?.hasState) await saveProgress(status, deps.cluster.plugs);
  if (!hasAudience(plug)) {
    await leaveSocket(attempt, pairing, deps, signal);
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

/** A deleted socket, as far as the pairing describes it. */
function lastKnown({ socket }: Pairing): Socket {
  const { namespace, name, uid } = socket;
  const { apiVersion, kind } = Socket;
  return Socket.parse({ apiVersion, kind, metadata: { namespace, name, uid }, spec: {} });
}
