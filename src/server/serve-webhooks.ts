import type { IncomingMessage } from "node:http";
import type { Logger, Secret } from "#base";
import type { ChangeHint } from "#promotion";
import { type PortAnswer, type OpenPort, openPort } from "./open-port.ts";
import { readBody } from "./read-body.ts";
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

const largestBody = 2 ** 20;

/** Serves `POST /webhooks/github`, `gitlab`, `gitea` and `registry`. A request without the secret changes nothing. */
export async function serveWebhooks({ port, host, secret, wake, log }: WebhookServerOptions): Promise<OpenPort> {
  async function answer(request: IncomingMessage): Promise<PortAnswer> {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const sender = webhookSenders.find((name) => path === `/webhooks/${name}`);
    if (!sender) return { status: 404, text: `expected /webhooks/${webhookSenders.join(", /webhooks/")}` };
    if (request.method !== "POST") return { status: 405, text: "expected POST" };
    const body = await readBody(request, largestBody);
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

  return await openPort({ port, host }, async (request) => {
    const { status, text } = await answer(request);
    return { status, text: `${text}\n` };
  });
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
