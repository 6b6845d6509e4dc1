import { deletionPolicyOf, describeObject, type Socket, type SocketName } from "../kinds/index.ts";
import type { PlugAttempt } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { describeHidden, isHidden } from "./hidden-socket.ts";
import { describeMissingSocket } from "./missing-socket.ts";
import { conditionOf, isCreated } from "./unparsed-objects.ts";

/** Why a plug cannot couple to the socket that it names yet, whatever the socket admits. */
export function reasonToWait(
  { plug, memory }: PlugAttempt,
  wanted: SocketName | undefined,
  socket: Socket | undefined,
  deps: CouplingDeps,
): readonly ["SocketNotCreated" | "SocketDeleting" | "SocketNotWatched", ...string[]] | undefined {
  if (!wanted) return ["SocketNotCreated", "no socket is set; set spec.socket.name"];
  if (isHidden(wanted, deps)) return ["SocketNotWatched", describeHidden(wanted)];
  if (!socket) return ["SocketNotCreated", describeMissingSocket(plug, wanted, deps)];
  const isLeaving = socket.metadata.deletionTimestamp !== undefined;
  if (isLeaving && (!memory.pairing || deletionPolicyOf(socket) !== "Block")) {
    return ["SocketDeleting", `${describeObject(socket)} is being deleted`];
  }
  if (isCreated(socket)) return undefined;
  const failure = conditionOf(socket, "Failed")?.["message"];
  const waiting = conditionOf(socket, "Coupled")?.["message"];
  const why = typeof failure === "string" ? `created failed: ${failure}` : waiting;
  return ["SocketNotCreated", ...(typeof why === "string" ? [`${describeObject(socket)}: ${why}`] : [])];
}
