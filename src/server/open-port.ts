import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { CommandFailed } from "#base";

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
  const listening = once(server, "listening");
  server.listen(port, host);
  await listening.catch((cause: NodeJS.ErrnoException) => {
    throw new CommandFailed(`cannot listen (${cause.code})`, {
      where: `port ${port}`,
      next: "choose another port",
      cause,
    });
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
