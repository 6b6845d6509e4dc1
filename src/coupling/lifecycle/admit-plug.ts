import { ApiError } from "#kube";
import { examineSocket, refusePlug } from "../admission/refuse-plug.ts";
import { describeObject, namespaceOf, type Pair, warnings } from "../kinds/index.ts";
import { isOfPairing } from "../resources/inventory-entries.ts";
import { isMadeFor } from "../resources/mark-object.ts";
import { refOfEntry } from "../resources/remove-objects.ts";
import type { CouplingAttempt, Pairing } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { objectOrigin } from "./prepare-stage.ts";
import { reportPlug } from "./report-status.ts";
import { clientOf } from "./side-actions.ts";
import { recallState } from "./state-secrets.ts";

/**
 * Whether the socket admits the plug, or has acknowledged it; if not, the plug's status says why. The limit comes last: the
 * roster counts all plugs.
 */
export function admitPlug({ pair, session, memory, status }: CouplingAttempt, deps: CouplingDeps): boolean {
  const { plug, socket } = pair;
  const refusal = memory.pairing ? undefined : refuse(pair, 0, deps);
  if (refusal) {
    deps.roster.stopWaiting(session.key);
    reportPlug(status, plug, refusal.reason, refusal.message);
    return false;
  }
  const { limit = 0 } = socket.spec;
  const answer = deps.roster.admit(socket.metadata.uid ?? "", plug, limit);
  if (answer === "full") {
    reportPlug(status, plug, "LimitReached", `the socket's limit of ${limit} is reached; a plug must leave first`);
  }
  if (answer === "closed") reportPlug(status, plug, "SocketDeleting", `${describeObject(socket)} is being deleted`);
  return answer === "admitted";
}

/**
 * Whether the socket confirms a pairing that the plug's status claims: it lists the plug, would admit it, or has admitted it
 * before, as the stored config or an object made for the plug shows. These are in the socket's namespace, and written by Tenon,
 * while tenants that the socket never admitted may be able to write a plug's status.
 */
export async function isAcknowledged(
  pair: Pair,
  { hasState = false }: Pairing,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const { plug, socket } = pair;
  if (deps.roster.isListed(socket.metadata.uid ?? "", plug.metadata.uid ?? "")) return true;
  if (refuse(pair, 0, deps) === undefined) return true;
  if (hasState && (await recallState(pair, "socket", deps, signal)) !== undefined) return true;
  return await hasMade(pair, deps, signal);
}

const mostLooks = 10;

/** Whether an object that the socket's side created for the plug still exists. */
async function hasMade(pair: Pair, deps: CouplingDeps, signal: AbortSignal): Promise<boolean> {
  const acting = clientOf(pair.socket, deps);
  const origin = objectOrigin(pair.socket, pair);
  const made = pair.plug.status?.inventory?.filter((entry) => entry.side === "socket" && isOfPairing(entry)) ?? [];
  for (const entry of made.slice(0, mostLooks)) {
    try {
      const live = await acting.find(refOfEntry(entry), signal);
      if (live && isMadeFor(live, origin)) return true;
    } catch (error) {
      if (!(error instanceof ApiError && error.isForbidden)) throw error;
    }
  }
  return false;
}

/** A coupled plug stays, and an Event warns that it would no longer be admitted. */
export function warnIfNoLongerAdmitted({ pair }: CouplingAttempt, deps: CouplingDeps): void {
  const { plug, socket } = pair;
  const others = deps.roster.taken(socket.metadata.uid ?? "") - 1;
  const refusal = refuse(pair, others, deps);
  if (!refusal) return;
  const message = `stays coupled, but would not be admitted now: ${refusal.message}`;
  deps.report.events.Plug.record(plug, { type: "Warning", reason: warnings.noLongerAdmitted, message });
}

/** Whether the socket would not admit the plug, whatever its limit. */
export function wouldRefuse(pair: Pair, deps: CouplingDeps): boolean {
  const refusal = refuse(pair, 0, deps);
  return refusal !== undefined && refusal.reason !== "LimitReached";
}

function refuse({ plug, socket }: Pair, otherPlugs: number, deps: CouplingDeps): ReturnType<typeof refusePlug> {
  const problem = examineSocket(socket);
  if (problem) {
    return { reason: "NamespaceNotAllowed", message: `${describeObject(socket)} admits no plug: ${problem.what}` };
  }
  const namespace = deps.cluster.namespace(namespaceOf(plug));
  const namespaceLabels = namespace && (namespace.metadata.labels ?? {});
  return refusePlug(plug, socket, { namespaceLabels, otherPlugs });
}
