import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { pairsOf } from "./body.ts";
import type { Exchange, UpgradeOffer } from "./exchange.ts";

/** Joins client and server as bare connections, after the answer that both have agreed on. */
export function joinUpgraded(
  exchange: Exchange,
  offer: UpgradeOffer,
  answer: IncomingMessage,
  server: UpgradeOffer,
): void {
  const { request, response, received, sent, told } = exchange;
  const client: Duplex = offer.socket;
  response.detachSocket(request.socket);
  const head = pairsOf(answer.rawHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  client.write(`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\n${head.join("")}\r\n`, "latin1");
  client.write(server.head);
  server.socket.write(offer.head);
  told(answer.statusCode ?? 0);
  sent(server.head.length);
  received(offer.head.length);

  client.on("data", (chunk: Buffer) => received(chunk.length));
  server.socket.on("data", (chunk: Buffer) => sent(chunk.length));
  // Keep reading without a receiver: only a socket that is read reports that its client has disconnected.
  server.socket.once("close", () => client.resume().end());
  client.once("close", () => server.socket.destroy());
  client.pipe(server.socket).pipe(client);
}
