import { once } from "node:events";
import type { Server, Socket } from "node:net";

/** Every socket a proxy has opened or accepted, so that disposing can close all and wait until they are gone. */
export interface OpenSockets {
  /** False when the socket is known already. */
  add(socket: Socket): boolean;
  closeAll(): Promise<void>;
}

export function trackSockets(): OpenSockets {
  const open = new Set<Socket>();
  return {
    add(socket) {
      if (open.has(socket)) return false;
      open.add(socket);
      socket.once("close", () => open.delete(socket));
      return true;
    },
    async closeAll() {
      const closed = [...open].map((socket) => new Promise((resolve) => socket.once("close", resolve)));
      for (const socket of open) socket.destroy();
      await Promise.all(closed);
    },
  };
}

/** Sends RST; to a socket that is still connecting, as soon as it is connected. */
export function reset(socket: Socket): void {
  if (socket.destroyed) return;
  // libuv refuses to reset while a FIN is on its way, and Node then never closes the socket.
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}

/** Listens on 127.0.0.1 or on this address, and returns the port; 0 asks for a free one. */
export async function listen(server: Server, port: number, host = "127.0.0.1"): Promise<number> {
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a server on 127.0.0.1 has no port");
  return address.port;
}
