import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { setTimeout } from "node:timers/promises";
import { pairsOf, passBody, write } from "./body.ts";
import type { Upstream } from "./client-connection.ts";
import type { Exchange } from "./exchange.ts";
import { positionFinder } from "./position.ts";
import type { Answer, TakenRule } from "./rules.ts";
import { joinUpgraded } from "./upgrade.ts";
import { passRequest } from "./upstream-request.ts";

/** Takes a request to the server and its answer back, as they are, but for what the rule that took it does. */
export async function conduct(exchange: Exchange, upstream: Upstream, taken: TakenRule | undefined): Promise<void> {
  const { response, signal, sent } = exchange;
  if (taken?.at === "request" && !(await act(exchange, taken))) return;

  const { answer, upgraded } = await passRequest(exchange, upstream);
  exchange.answer = answer;
  answer.on("error", () => exchange.breakOff());
  if (taken?.at === "headers" && !(await act(exchange, taken))) return;
  if (exchange.upgrade && upgraded) {
    joinUpgraded(exchange, exchange.upgrade, answer, upgraded);
    return;
  }

  sendHead(exchange, answer, taken?.rule.kind === "inject");
  const fault =
    typeof taken?.at === "object" ? { find: positionFinder(taken.at), act: () => act(exchange, taken) } : undefined;
  const isWhole = await passBody({ from: answer, to: response, signal, onBytes: sent, fault });
  if (!isWhole) answer.destroy();
}

/** Does what a rule says; true when the exchange goes on afterwards. */
async function act(exchange: Exchange, { rule, removed, reach }: TakenRule): Promise<boolean> {
  const { response, signal, sent } = exchange;
  reach();
  if (rule.kind === "answer") {
    sendAnswer(exchange, rule);
    return false;
  }
  if (rule.kind === "delay") {
    await setTimeout(rule.milliseconds, undefined, { signal });
    return true;
  }
  if (rule.kind === "silence") {
    if (!removed.aborted) await once(removed, "abort", { signal });
    return true;
  }
  if (rule.kind === "cut") {
    await exchange.cut(rule.style ?? "reset");
    return false;
  }
  const line = Buffer.from(`${rule.line}\n`);
  sent(line.length);
  await write(response, line, signal);
  if (rule.end) response.end();
  return !rule.end;
}

function sendAnswer(
  { request, response, received, sent, told }: Exchange,
  { status, headers = {}, body = "" }: Answer,
): void {
  request.on("data", (chunk: Buffer) => received(chunk.length));
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  told(status);
  sent(Buffer.byteLength(body));
  response.end(body);
}

/** Sends the head of the answer at once, raw, with nothing of Node's own added. */
function sendHead({ response, told }: Exchange, answer: IncomingMessage, growsBody: boolean): void {
  const headers = pairsOf(answer.rawHeaders).filter(
    ([name]) => !(growsBody && name.toLowerCase() === "content-length"),
  );
  const isDelimited = "content-length" in answer.headers || "transfer-encoding" in answer.headers;
  response.sendDate = false;
  response.removeHeader("connection");
  // A body that ends with its connection must not become a chunked one, which would hide that it was cut short.
  response.useChunkedEncodingByDefault = isDelimited;
  response.writeHead(answer.statusCode ?? 0, answer.statusMessage, headers.flat());
  response.flushHeaders();
  told(answer.statusCode ?? 0);
}
