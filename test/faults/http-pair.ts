import * as http from "node:http";
import { type HttpProxy, type HttpProxyOptions, startHttpProxy } from "./http-proxy.ts";
import { dial, type LoopbackClient, startServer } from "./loopback.ts";

/** A server and the proxy in front of it, for one test. */
export interface HttpPair extends AsyncDisposable {
  readonly server: http.Server;
  readonly proxy: HttpProxy;
  /** A client of the proxy that types its requests by hand. */
  dial(options?: { readonly reads: boolean }): Promise<LoopbackClient>;
}

export async function startPair(
  handler: (request: http.IncomingMessage, response: http.ServerResponse) => unknown,
  options: Omit<HttpProxyOptions, "target"> = {},
): Promise<HttpPair> {
  const stack = new AsyncDisposableStack();
  const server = http.createServer((request, response) => void handler(request, response));
  const { port } = stack.use(await startServer(server));
  const proxy = stack.use(await startHttpProxy({ target: new URL(`http://127.0.0.1:${port}`), ...options }));
  return {
    server,
    proxy,
    dial: async (dialOptions) => stack.use(await dial(Number(proxy.url.port), dialOptions)),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
