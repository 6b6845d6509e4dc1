import * as http from "node:http";
import * as https from "node:https";
import { connectTimeout, headersTimeout } from "./http-timeouts.ts";
import type { HttpAnswer, StreamTarget } from "./registry-http.ts";
import { plainHeaders } from "./stream-answer.ts";

/**
 * Sends a request with a streamed body on a connection of its own. The next chunk is asked for when the last one has left
 * this process, so that its memory may be used again. An answer that comes earlier ends the sending.
 */
export async function sendStream(
  { method, url, headers, secureContext }: StreamTarget,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const isSecure = url.protocol === "https:";
  const sent = (isSecure ? https : http).request(url, {
    method,
    // After `connection: close`, a server closes it with an early answer, which then may not arrive.
    headers: { connection: "keep-alive", ...headers },
    agent: false,
    timeout: connectTimeout,
    signal,
    ...(secureContext === undefined ? {} : { secureContext }),
  });
  sent.on("timeout", () => sent.destroy(new Error("the connection is silent")));
  sent.once("socket", (socket) => {
    socket.once(isSecure ? "secureConnect" : "connect", () => sent.setTimeout(headersTimeout));
  });
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  sent.once("response", resolve);
  sent.on("error", reject);
  writeBody(sent, body).catch((error) => sent.destroy(error));
  const answer = await promise;
  answer.on("error", () => {});
  answer.once("close", () => sent.destroy());
  return { status: answer.statusCode ?? 0, headers: plainHeaders(answer.headers), body: answer };
}

async function writeBody(sent: http.ClientRequest, body: AsyncIterable<Uint8Array>): Promise<void> {
  let isAnswered = false;
  sent.once("response", () => (isAnswered = true));
  for await (const chunk of body) {
    await new Promise<void>((resolve, reject) => {
      sent.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
    if (isAnswered) return;
  }
  sent.end();
}
