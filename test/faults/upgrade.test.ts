import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { type HttpPair, startPair } from "./http-pair.ts";
import { typed } from "./loopback.ts";

const upgrade = typed(
  "GET /exec?stdin=1 HTTP/1.1",
  "Host: h",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "X-CaSe: 1",
);
const agreement = typed("HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade");

/** A server that agrees to leave HTTP and then sends back what it gets; the test holds its sockets. */
async function startAgreeing(): Promise<HttpPair & { upgraded(): Promise<[IncomingMessage, Socket]> }> {
  const pair = await startPair(() => {});
  pair.server.on("upgrade", (_request, socket, head: Buffer) => {
    socket.on("error", () => {});
    socket.write(`${agreement}hello `);
    socket.write(head);
    socket.pipe(socket);
  });
  return {
    ...pair,
    async upgraded() {
      const [request, socket] = await once(pair.server, "upgrade");
      return [request, socket];
    },
  };
}

describe("an upgrade", () => {
  test("joins client and server byte for byte, what was sent early included", async () => {
    await using pair = await startAgreeing();
    const client = await pair.dial();
    const upgraded = pair.upgraded();
    client.socket.write(`${upgrade}early`);
    expect(await client.hear(agreement.length + 11)).toBe(`${agreement}hello early`);
    client.socket.write(Buffer.from([0x81, 0x00, 0xff]));
    await client.hear(agreement.length + 14);
    expect(client.received.subarray(-3)).toEqual(Buffer.from([0x81, 0x00, 0xff]));
    const [{ rawHeaders }] = await upgraded;
    expect(rawHeaders).toEqual(["Host", "h", "Connection", "Upgrade", "Upgrade", "websocket", "X-CaSe", "1"]);
    client.socket.end();
    expect(await client.ended).toBe("end");
    await pair.proxy.when(({ isOpen }) => !isOpen);
    expect(pair.proxy.requests).toMatchObject([
      { path: "/exec?stdin=1", status: 101, requestBytes: 8, responseBytes: 14 },
    ]);
  });

  test.each(["FIN", "RST"])("ends at the server when the client leaves by %s", async (farewell) => {
    await using pair = await startAgreeing();
    const client = await pair.dial();
    const upgraded = pair.upgraded();
    client.socket.write(upgrade);
    await client.hear(agreement.length);
    const [, server] = await upgraded;
    const closed = once(server, "close");
    if (farewell === "FIN") client.socket.destroy();
    else client.socket.resetAndDestroy();
    await closed;
    const { status } = await pair.proxy.when(({ isOpen }) => !isOpen);
    expect(status).toBe(101);
  });

  test("is reset for the client when the server resets it", async () => {
    await using pair = await startAgreeing();
    const client = await pair.dial();
    const upgraded = pair.upgraded();
    client.socket.write(upgrade);
    await client.hear(agreement.length);
    const [, server] = await upgraded;
    server.resetAndDestroy();
    expect(await client.ended).toBe("ECONNRESET");
  });

  test("is reset for the client too while a silence holds the agreement back", async () => {
    await using pair = await startAgreeing();
    pair.proxy.silence({});
    const client = await pair.dial();
    const upgraded = pair.upgraded();
    client.socket.write(upgrade);
    const [, server] = await upgraded;
    server.resetAndDestroy();
    expect(await client.ended).toBe("ECONNRESET");
    expect(client.received.length).toBe(0);
  });

  test("can be refused by the server, and by a rule", async () => {
    await using pair = await startPair(() => {});
    pair.server.on("upgrade", (_request, socket) =>
      socket.end(`${typed("HTTP/1.1 403 Forbidden", "Content-Length: 2")}no`),
    );
    const refused = await pair.dial();
    refused.socket.write(upgrade);
    expect(await refused.ended).toBe("end");
    expect(refused.received.toString()).toBe(`${typed("HTTP/1.1 403 Forbidden", "Content-Length: 2")}no`);
    pair.proxy.answer({ status: 500, body: "broken" });
    const broken = await pair.dial();
    broken.socket.write(upgrade);
    expect(await broken.ended).toBe("end");
    expect(broken.received.toString()).toMatch(/^HTTP\/1.1 500 [^]*broken$/);
    expect(pair.proxy.requests.map(({ status }) => status)).toEqual([403, 500]);
  });
});
