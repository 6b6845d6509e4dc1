import { once } from "node:events";
import type { Server } from "node:http";
import { CommandFailed } from "#base";

/** Listens, and returns the port. */
export async function listenOn(server: Server, host: string, port: number): Promise<number> {
  const listening = once(server, "listening");
  server.listen(port, host);
  await listening.catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "EADDRINUSE" && cause.code !== "EACCES" && cause.code !== "EADDRNOTAVAIL") throw cause;
    throw new CommandFailed(`cannot listen (${cause.code})`, {
      where: `${host}:${port}`,
      next: cause.code === "EADDRINUSE" ? "choose another port, or 0 for any free port" : "choose another host or port",
      cause,
    });
  });
  const address = server.address();
  return typeof address === "object" && address ? address.port : port;
}
