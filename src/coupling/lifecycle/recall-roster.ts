import { keyOf, type ObjectStore } from "#kube";
import { parseSocket } from "../kinds/parse-socket.ts";
import { byPairing, bySocket, byUid } from "./coupling-deps.ts";
import type { Latest } from "./latest.ts";
import { conditionOf } from "./read-conditions.ts";
import type { Recalled } from "./roster.ts";

/** What the cluster remembers of who is on a socket, and of who would like to be. */
export function recallRoster(socketUid: string, plugs: Latest, sockets: ObjectStore): Recalled {
  const held = plugs.byIndex(byPairing, socketUid).map(({ metadata }) => metadata.uid ?? "");
  const [socket] = sockets.byIndex(byUid, socketUid);
  if (!socket) return { held, listed: [], waiting: [] };
  const { status } = parseSocket(socket);
  const waiting = plugs
    .byIndex(bySocket, keyOf(socket))
    .filter((plug) => conditionOf(plug, "Coupled")?.["reason"] === "LimitReached");
  return { held, listed: status?.coupledPlugs ?? [], waiting };
}
