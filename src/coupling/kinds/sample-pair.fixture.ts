import { apiVersion } from "./names.ts";
import type { Pair } from "./pair.ts";
import { Plug } from "./plug.ts";
import { Socket } from "./socket.ts";

/** For tests: a plug `app/p` and a socket `prov/s` with these specs, as the API server would give them. */
export function samplePair(plugSpec: object = {}, socketSpec: object = {}): Pair {
  const meta = { generation: 1, resourceVersion: "7", creationTimestamp: "2026-01-01T00:00:00Z" };
  return {
    plug: Plug.parse({
      apiVersion,
      kind: "Plug",
      metadata: { name: "p", namespace: "app", uid: "plug-uid", ...meta },
      spec: { socket: { name: "s", namespace: "prov" }, ...plugSpec },
    }),
    socket: Socket.parse({
      apiVersion,
      kind: "Socket",
      metadata: { name: "s", namespace: "prov", uid: "socket-uid", ...meta },
      spec: socketSpec,
    }),
  };
}
