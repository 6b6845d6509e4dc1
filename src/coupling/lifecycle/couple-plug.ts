import { done, type Result } from "#runtime";
import { admitPlug, warnIfNoLongerAdmitted } from "./admit-plug.ts";
import { coupleOrUpdate } from "./couple-or-update.ts";
import { type CouplingAttempt, isCoupled } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { isPairedWith } from "./unparsed-objects.ts";

/** Couples a plug to an existing socket, or updates it: the stage if something changed, then the results. */
export async function couplePlug(attempt: CouplingAttempt, deps: CouplingDeps, signal: AbortSignal): Promise<Result> {
  const { pair, memory, status } = attempt;
  const { plug, socket } = pair;
  const { pairing, inventory } = memory;
  const isListed = deps.roster.isListed(socket.metadata.uid ?? "", plug.metadata.uid ?? "");
  if (!(memory.pairing && isListed) && !admitPlug(attempt, deps)) return done;
  if (isCoupled(memory.pairing)) warnIfNoLongerAdmitted(attempt, deps);
  try {
    return await coupleOrUpdate(attempt, deps, signal);
  } catch (error) {
    // A plug that has changed nothing must not occupy a place, nor delay the socket's deletion.
    if (!pairing && !isPairedWith(status.object, socket.metadata.uid ?? "")) {
      memory.pairing = undefined;
      memory.inventory = inventory; // none of the planned objects was created
      deps.claims.set(plug.metadata.uid ?? "", inventory);
      deps.roster.cancel(socket.metadata.uid ?? "", plug.metadata.uid ?? "");
    }
    throw error;
  }
}
