import type { IncomingMessage } from "node:http";
import { closeServer, listenOn } from "#base";

export interface PortOptions {
  /** 0 picks a free one. */
  readonly port: number;
  /** Default: every interface. */
  readonly host?: string | undefined;
}

export interface OpenPort extends AsyncDisposable {
  readonly port: number;
}

export interface PortAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Serves HTTP/1.1. Disposing breaks off requests in flight; their senders send them again. */
export async function openPort(
  { port, host }: PortOptions,
  answer: (request: IncomingMessage) => Promise<PortAnswer>,
): Promise<OpenPort> {
  // Imported late, as in the health server.
  const { createServer } = await import("node:http");
  const server = createServer(
    (request, response) =>
      void answer(request)
        .catch((): PortAnswer => ({ status: 400, text: "the request broke off\n" }))
        .then(({ status, text, headers }) =>
          response.writeHead(status, { "content-type": "text/plain", ...headers }).end(text),
        ),
  );
  server.requestTimeout = 30_000;
  return { port: await listenOn(server, host, port), [Symbol.asyncDispose]: () => closeServer(server) };
}
