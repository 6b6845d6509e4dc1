import { once } from "node:events";
import type { Server } from "node:http";
import { CommandFailed } from "./errors.ts";

/** Listens, and returns the port. Without a host it listens on every interface; the port 0 is any free one. */
export async function listenOn(server: Server, host: string | undefined, port: number): Promise<number> {
  const listening = once(server, "listening");
  server.listen({ port, ...(host === undefined ? {} : { host }) });
  await listening.catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "EADDRINUSE" && cause.code !== "EACCES" && cause.code !== "EADDRNOTAVAIL") throw cause;
    throw new CommandFailed(`cannot listen (${cause.code})`, {
      where: host === undefined ? `port ${port}` : `${host}:${port}`,
      next: cause.code === "EADDRINUSE" ? "choose another port, or 0 for any free port" : "choose another host or port",
      cause,
    });
  });
  const address = server.address();
  return typeof address === "object" && address ? address.port : port;
}

/** Takes no more requests, breaks off those in flight, and waits until all connections are closed. */
export async function closeServer(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}
