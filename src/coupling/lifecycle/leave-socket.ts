import { describeError, InputError } from "#base";
import { keyOf, type KubeObject } from "#kube";
import { parseSocket, sideOf, type Socket, warnings } from "../kinds/index.ts";
import { releaseWorkloads } from "../projection/project-binding.ts";
import { isOfPairing } from "../resources/inventory-entries.ts";
import { type Pairing, type PlugAttempt, socketOfPairing } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { failureOf } from "./coupling-failure.ts";
import type { PlugSession } from "./plug-session.ts";
import { removeMade } from "./side-actions.ts";
import { deleteResults } from "./result-secret.ts";
import { deleteState, isStateKept } from "./state-secrets.ts";

/** Leaves the socket although a stage failed, and deletes what it can. The caller has reported it. */
export async function abandonPairing(
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
  await leaveSocket(attempt, pairing, deps, signal);
}

/** Nothing of the pairing is left: the socket no longer lists the plug, and the plug remembers nothing of it. */
export async function leaveSocket(
  attempt: PlugAttempt,
  pairing: Pairing,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const { plug, memory } = attempt;
  const { uid = "", deletionTimestamp } = plug.metadata;
  // Nothing is left of it, unless decoupling was given up.
  await releaseWorkloads(attempt, deps, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    deps.report.log.warn("cannot take the binding back; it is left behind", {
      plug: attempt.session.key,
      error: describeError(error),
    });
  });
  await deps.roster.leave(pairing.socket.uid, uid);
  const { namespace = "", name } = socketOfPairing(pairing, deps)?.metadata ?? pairing.socket;
  const socket = { namespace, name };
  if (pairing.hasState || isStateKept(plug, socket, deps)) await deleteState(plug, socket, deps, signal);
  // The garbage collector deletes what a deleted plug owns.
  if (memory.bindingName !== undefined && deletionTimestamp === undefined) await deleteResults(plug, deps, signal);
  memory.inventory = memory.inventory.filter((entry) => entry.side === "plug" && !isOfPairing(entry));
  memory.forgetPairing();
  attempt.status.removeCondition("Projected");
  attempt.session.results.clear();
  deps.claims.set(uid, memory.inventory);
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

export function reportAbandoned(plug: KubeObject, session: PlugSession, error: unknown, deps: CouplingDeps): void {
  const { message } = failureOf(error, session.redact);
  deps.report.log.warn("decoupling given up", { plug: keyOf(plug), error: message });
  deps.report.events.Plug.record(plug, {
    type: "Warning",
    reason: warnings.abandoned,
    message: `given up: ${message}`,
  });
}
