import { requeueAfter, type Result } from "#runtime";
import { Plug } from "../kinds/plug.ts";
import type { Phase } from "../kinds/shared-status.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { socketOfPairing } from "./decouple.ts";
import type { LastError, Wait } from "./failure.ts";
import { giveUpAt, waitMs } from "./patience.ts";
import { type FailedLook, noteStatus } from "./plug-look.ts";
import { reportPlug } from "./report-plug.ts";

/** Says what a plug waits for, if that is worth a word, and remembers how far it got. The apparatus will wake it. */
export async function waitForApparatus(
  { reason, stage, side }: Wait,
  { object, status, memory, isCreated }: FailedLook,
  before: LastError | undefined,
  deps: CouplingDeps,
): Promise<Result> {
  if (reason !== undefined) {
    reportPlug(status, Plug.parse(object), "WaitingForApparatus", reason);
    status.set({ phase: phaseOf(stage, isCreated), lastError: before });
  }
  let since: string | undefined;
  if (stage === "decoupled") {
    // Nobody's move may depend on an apparatus that does not start.
    const isFirst = before?.stage !== stage;
    const at = new Date(deps.clock.now()).toISOString();
    since = (isFirst ? undefined : before.since) ?? at;
    if (isFirst) status.set({ lastError: { at, since, stage, attempts: 0, ...(side ? { side } : {}) } });
  }
  await noteStatus(status, deps.plugs);
  const socket = memory?.pairing && socketOfPairing(memory.pairing, deps);
  const leftMs = (giveUpAt(object, socket, since, deps) ?? Infinity) - deps.clock.now();
  return requeueAfter(leftMs > 0 ? Math.min(waitMs, leftMs) : waitMs);
}

/** By `Pending`, with the reason, is seen that `created` is not done yet. */
function phaseOf(stage: Wait["stage"], isCreated: boolean): Phase {
  if (!isCreated) return "Pending";
  if (stage === "decoupled" || stage === "deleted") return "Decoupling";
  return stage === "updated" ? "Updating" : "Coupling";
}
