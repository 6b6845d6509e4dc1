import { warnings } from "../kinds/index.ts";
import type { ResolvedInputs } from "../sources/resolved.ts";
import { type CouplingAttempt, isCoupled, isFinished } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { reportPlug } from "./report-status.ts";
import { findOwnInputs } from "./update-loop.ts";

/**
 * How long to wait before an update whose inputs the last one may have changed itself: such updates would follow each other for
 * ever. The plug stays coupled meanwhile, and a condition and an Event name the input.
 */
export function delayOwnUpdate(
  { pair, session, memory, status }: CouplingAttempt,
  inputs: ResolvedInputs,
  deps: CouplingDeps,
): number {
  const { pairing } = memory;
  if (!pairing || !isCoupled(pairing) || !isFinished(pairing)) return 0;
  const { plug, socket } = pair;
  if (pairing.inputsHash === deps.fingerprint.ofInputs(pair, inputs)) {
    session.loop.end();
    status.removeCondition("UpdateLoop");
    return 0;
  }
  const isOfUser =
    pairing.generation !== plug.metadata.generation || pairing.socketGeneration !== socket.metadata.generation;
  const [own] = isOfUser ? [] : findOwnInputs(pair, memory.inventory);
  if (own === undefined) return 0;
  const { restMs } = session.loop;
  if (restMs === 0) {
    session.loop.note();
    return 0;
  }
  const message = `${own}, so that each update causes the next one; updates wait longer and longer, up to 5 minutes`;
  status.setCondition({ type: "UpdateLoop", status: "True", reason: "OwnOutputIsInput", message });
  deps.report.events.Plug.record(plug, { type: "Warning", reason: warnings.updateLoop, message });
  reportPlug(status, plug, "CouplingSucceeded");
  return restMs;
}
