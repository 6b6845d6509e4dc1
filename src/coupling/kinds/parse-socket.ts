import type { KubeObject } from "#kube";
import { Socket } from "./socket.ts";

const parsed = new WeakMap<KubeObject, Socket>();

/** `Socket.parse`, once for each version of a socket: all its plugs look at it, and it lists them all. */
export function parseSocket(object: KubeObject): Socket {
  const known = parsed.get(object);
  if (known) return known;
  const socket = Socket.parse(object);
  parsed.set(object, socket);
  return socket;
}
