import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { pipeline } from "node:stream";
import { dial, type LoopbackClient, type LoopbackServer, startServer } from "./loopback.ts";

/** A server whose side of each connection the test holds in its hand. */
export interface HandheldServer extends LoopbackServer {
  /** The next connection. */
  accepted(): Promise<Socket>;
}

export async function startHandheld(): Promise<HandheldServer> {
  const server = createServer({ allowHalfOpen: true, noDelay: true });
  server.on("connection", (socket) => socket.on("error", () => {}));
  const started = await startServer(server);
  return { ...started, accepted: async () => (await once(server, "connection"))[0] };
}

/** A server that sends back what it gets. */
export function startEcho(): Promise<LoopbackServer> {
  return startServer(createServer((socket) => pipeline(socket, socket, () => {})));
}

/** Both ends of a new connection through a proxy. */
export async function joinThrough(
  proxy: { readonly port: number },
  handheld: HandheldServer,
): Promise<AsyncDisposable & { readonly client: LoopbackClient; readonly server: Socket }> {
  const accepted = handheld.accepted();
  const client = await dial(proxy.port);
  return { client, server: await accepted, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}

/** Reads so many bytes, or a few more. */
export async function read(socket: Socket, bytes: number): Promise<string> {
  let received = Buffer.alloc(0);
  while (received.length < bytes) received = Buffer.concat([received, (await once(socket, "data"))[0]]);
  return received.toString();
}
