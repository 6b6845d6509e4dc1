import * as http from "node:http";
import * as https from "node:https";
import type { Duplex } from "node:stream";
import { pairsOf, passBody } from "./body.ts";
import type { Upstream } from "./client-connection.ts";
import type { Exchange } from "./exchange.ts";
import { reset } from "./sockets.ts";

/** What the server said: a response, and the bare connection when it agreed to leave HTTP. */
export interface UpstreamAnswer {
  readonly answer: http.IncomingMessage;
  readonly upgraded?: { readonly socket: Duplex; readonly head: Buffer };
}

/** Passes a request on as it came and waits for the head of the answer; the request's body flows meanwhile. */
export function passRequest(exchange: Exchange, upstream: Upstream): Promise<UpstreamAnswer> {
  const { request, response, connection, signal } = exchange;
  const { promise, resolve, reject } = Promise.withResolvers<UpstreamAnswer>();
  const { request: open } = upstream.target.protocol === "https:" ? https : http;
  const outgoing = open(upstream.target, {
    agent: connection.agent,
    method: request.method,
    path: request.url,
    headers: headersFor(request, upstream.headers),
  });
  outgoing.on("socket", (socket) => connection.useUpstreamSocket(socket));
  outgoing.on("continue", () => response.writeContinue());
  outgoing.once("response", (answer) => resolve({ answer }));
  outgoing.once("upgrade", (answer, socket, head) => {
    socket.on("error", () => reset(connection.raw));
    resolve({ answer, upgraded: { socket, head } });
  });
  outgoing.on("error", () => exchange.breakOff());
  signal.addEventListener("abort", () => {
    outgoing.destroy();
    reject(signal.reason);
  });
  outgoing.flushHeaders();
  void passRequestBody(exchange, outgoing);
  return promise;
}

async function passRequestBody({ request, signal, received }: Exchange, to: http.ClientRequest): Promise<void> {
  try {
    await passBody({ from: request, to, signal, onBytes: received });
  } catch (error) {
    // The client has left, or the server has; both are noticed where they happen.
    if (!signal.aborted && !request.destroyed && !to.destroyed) throw error;
  }
}

const methodsWithBody = new Set(["POST", "PUT", "PATCH"]);

/** Raw, which keeps case, order and duplicates; with the client's `Host`, so that redirects lead back to the proxy. */
function headersFor(request: http.IncomingMessage, replaced: Readonly<Record<string, string>> = {}): string[] {
  const names = new Set(Object.keys(replaced).map((name) => name.toLowerCase()));
  const kept = pairsOf(request.rawHeaders).filter(([name]) => !names.has(name.toLowerCase()));
  const hasLength = "content-length" in request.headers || "transfer-encoding" in request.headers;
  // Node would announce a chunked body for a POST that announces none.
  if (!hasLength && methodsWithBody.has(request.method ?? "")) kept.push(["Content-Length", "0"]);
  return [...kept, ...Object.entries(replaced)].flat();
}
