import { keyOf } from "#kube";
import { parseSocket } from "../kinds/parse-socket.ts";
import { byPairing, bySocket, byUid } from "./coupling-deps.ts";
import type { Latest } from "./latest.ts";
import { hasPairing } from "./plug-index.ts";
import { conditionOf } from "./read-conditions.ts";
import type { Recalled } from "./roster-line.ts";

/**
 * What the cluster remembers of who is on a socket, and of who would like to be. A plug that integration-operator has coupled
 * counts if the socket says so, too: of one that the socket does not know, the plug's own look would never free the place.
 */
export function recallRoster(
  socketUid: string,
  plugs: Pick<Latest, "byIndex">,
  sockets: Pick<Latest, "byIndex">,
): Recalled | undefined {
  const [socket] = sockets.byIndex(byUid, socketUid);
  if (!socket) return undefined;
  const { status } = parseSocket(socket);
  const listed = status?.coupledPlugs ?? [];
  const listedUids = new Set(listed.map(({ uid }) => uid));
  const held = plugs
    .byIndex(byPairing, socketUid)
    .filter((plug) => hasPairing(plug) || listedUids.has(plug.metadata.uid ?? ""))
    .map(({ metadata }) => metadata.uid ?? "");
  const waiting = plugs
    .byIndex(bySocket, keyOf(socket))
    .filter((plug) => conditionOf(plug, "Coupled")?.["reason"] === "LimitReached");
  return { held, listed, waiting };
}
