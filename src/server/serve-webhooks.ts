import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { CommandFailed, type Logger, type Secret } from "#base";
import type { ChangeHint } from "#promotion";
import { isGenuine, readWebhook, webhookSenders } from "./read-webhook.ts";

export interface WebhookServerOptions {
  /** 0 picks a free one. */
  readonly port: number;
  /** Default: every interface, because forges and registries are elsewhere. */
  readonly host?: string;
  readonly secret: Secret;
  readonly wake: (hint: ChangeHint) => number;
  readonly log: Logger;
}

export interface WebhookServer extends AsyncDisposable {
  readonly port: number;
}

const largestBody = 2 ** 20;

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Serves `POST /webhooks/github`, `gitlab`, `gitea` and `registry`. A request without the secret changes nothing. */
export async function serveWebhooks({ port, host, secret, wake, log }: WebhookServerOptions): Promise<WebhookServer> {
  async function answer(request: IncomingMessage): Promise<Answer> {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const sender = webhookSenders.find((name) => path === `/webhooks/${name}`);
    if (!sender) return { status: 404, text: `expected /webhooks/${webhookSenders.join(", /webhooks/")}` };
    if (request.method !== "POST") return { status: 405, text: "expected POST" };
    const body = await readBody(request);
    if (!body) return { status: 413, text: "the body is larger than 1 MiB" };
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, value?.toString()]),
    );
    if (!isGenuine({ sender, headers, body }, secret)) {
      log.warn("refused a webhook: its signature or secret is wrong", { sender });
      return { status: 401, text: "the signature or secret is missing or wrong" };
    }
    const content = parseJson(body);
    if (content === undefined) return { status: 400, text: "expected JSON" };
    const hint = readWebhook(sender, content);
    const count = hint ? wake(hint) : 0;
    log.debug("webhook", { sender, propagations: count });
    return { status: 202, text: `${count} ${count === 1 ? "Propagation looks" : "Propagations look"}` };
  }

  // Imported late, as in the health server.
  const { createServer } = await import("node:http");
  const server = createServer(
    (request, response) =>
      void answer(request)
        .catch((): Answer => ({ status: 400, text: "the request broke off" }))
        .then(({ status, text }) => response.writeHead(status, { "content-type": "text/plain" }).end(`${text}\n`)),
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

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > largestBody) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
