import { keyOf } from "#kube";
import type { Pair } from "../kinds/index.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import type { PlugSession } from "./plug-session.ts";
import { type Configs, needsConfigToDecouple, noConfig } from "./prepare-stage.ts";
import { holdValues, resolveConfigs } from "./read-inputs.ts";
import { recallState, withoutHidden } from "./state-secrets.ts";

/**
 * The configs of the coupling. A config that was not stored, because nothing needed it then, or that was deleted or changed, is
 * resolved again: only that passes the checks of the interface.
 */
export async function recallConfigs(
  { plug, socket }: Pair,
  session: PlugSession,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<Configs> {
  if (!needsConfigToDecouple({ plug, socket })) return { plugConfig: noConfig, socketConfig: noConfig };
  const [ofPlug, ofSocket] = await storedStates({ plug, socket }, session, deps, signal);
  // The stored config of a deleted socket is deleted with it, and its inputs may be, too.
  const isAll = ofPlug !== undefined && (ofSocket !== undefined || isGone(socket, deps));
  const now = isAll ? undefined : await resolveConfigs({ plug, socket }, session, deps, signal);
  return {
    plugConfig: ofPlug?.config ?? now?.plugConfig ?? noConfig,
    socketConfig: ofSocket?.config ?? now?.socketConfig ?? noConfig,
  };
}

function isGone(socket: Pair["socket"], { cluster }: CouplingDeps): boolean {
  return cluster.sockets.get(keyOf(socket))?.metadata.uid !== socket.metadata.uid;
}

/**
 * The stored states of both sides, as far as there are any, with their secrets masked from now on. Without the socket, only the
 * plug's side reads them.
 */
export async function storedStates(pair: Pair, session: PlugSession, deps: CouplingDeps, signal: AbortSignal) {
  const [ofPlug, ofSocket] = await Promise.all([
    recallState(pair, "plug", deps, signal),
    recallState(pair, "socket", deps, signal),
  ]);
  const states = [ofPlug, ofSocket && isGone(pair.socket, deps) ? withoutHidden(ofSocket) : ofSocket] as const;
  for (const state of states) {
    if (!state) continue;
    holdValues(state.config, session.secrets);
    // A refusal may repeat what the apparatus once answered.
    session.secrets.hold(state.result.values());
  }
  return states;
}
