import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { pipeline, Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { connect as connectTls, createServer as createTlsServer } from "node:tls";
import { describe, expect, test } from "vitest";
import {
  dial,
  endlessly,
  leftOver,
  randomBytes,
  randomChunks,
  seededRandom,
  selfSigned,
  startServer,
} from "./loopback.ts";
import { joinThrough, read, startEcho, startHandheld } from "./tcp-pair.ts";
import { startTcpProxy } from "./tcp-proxy.ts";

describe("without a fault", () => {
  test("200 streams at once arrive as they were sent, and are counted", async () => {
    await using echo = await startEcho();
    await using proxy = await startTcpProxy({ target: echo.target });
    const random = seededRandom(1);
    const streams = Array.from({ length: 200 }, async () => {
      const sent = randomBytes(Math.floor(random() * 20_000), random);
      await using client = await dial(proxy.port);
      Readable.from(randomChunks(sent, random)).pipe(client.socket);
      expect(await client.ended).toBe("end");
      expect(sha256(client.received)).toBe(sha256(sent));
      return sent.length;
    });
    const total = (await Promise.all(streams)).reduce((sum, length) => sum + length);
    await proxy.until(({ live }) => live === 0);
    expect(proxy.counts).toEqual({ opened: 200, live: 0, bytesToClient: total, bytesToServer: total, held: 0 });
  });

  test("TLS passes", async () => {
    const certificate = await selfSigned("server");
    await using server = await startServer(createTlsServer(certificate, (socket) => socket.end("secret")));
    await using proxy = await startTcpProxy({ target: server.target });
    const client = connectTls({ port: proxy.port, host: "127.0.0.1", ca: certificate.cert });
    expect(await read(client, 6)).toBe("secret");
    client.destroy();
  });

  test("FIN goes through, and the other direction stays open", async () => {
    await using handheld = await startHandheld();
    await using proxy = await startTcpProxy({ target: handheld.target });
    await using joined = await joinThrough(proxy, handheld);
    const ended = once(joined.server.resume(), "end");
    joined.client.socket.end("question");
    await ended;
    joined.server.end("answer");
    expect(await joined.client.ended).toBe("end");
    expect(joined.client.received.toString()).toBe("answer");
  });

  test("RST by the server is RST for the client", async () => {
    await using handheld = await startHandheld();
    await using proxy = await startTcpProxy({ target: handheld.target });
    await using joined = await joinThrough(proxy, handheld);
    joined.server.resetAndDestroy();
    expect(await joined.client.ended).toBe("ECONNRESET");
  });

  test("RST by the client is RST for the server", async () => {
    await using handheld = await startHandheld();
    await using proxy = await startTcpProxy({ target: handheld.target });
    await using joined = await joinThrough(proxy, handheld);
    const failed = once(joined.server.resume(), "error");
    joined.client.socket.resetAndDestroy();
    expect(await failed).toMatchObject([{ code: "ECONNRESET" }]);
  });

  test("a dead target is a reset", async () => {
    const handheld = await startHandheld();
    await handheld[Symbol.asyncDispose]();
    await using proxy = await startTcpProxy({ target: handheld.target });
    await using client = await dial(proxy.port);
    expect(await client.ended).toBe("ECONNRESET");
  });

  test("a slow client slows the server down instead of filling the proxy", async () => {
    await using server = await startServer(createServer((socket) => pipeline(endlessly(), socket, () => {})));
    await using proxy = await startTcpProxy({ target: server.target });
    await using client = await dial(proxy.port, { reads: false });
    await proxy.until(({ held }) => held > 100_000);
    // In each turn of the event loop a proxy that does not stop reading takes up to two megabytes more.
    for (let turn = 0; turn < 50; turn += 1) await setImmediate();
    expect(proxy.counts.held).toBeLessThan(1024 * 1024);
    const { bytesToClient } = proxy.counts;
    client.socket.resume();
    await proxy.until((counts) => counts.bytesToClient > bytesToClient + 5_000_000);
    expect(proxy.counts.held).toBeLessThan(1024 * 1024);
  });
});

test("dispose closes everything and leaves no handle, whatever was going on", async () => {
  const before = process.getActiveResourcesInfo();
  const handheld = await startHandheld();
  const proxy = await startTcpProxy({ target: handheld.target });
  const late = await Promise.all(Array.from({ length: 10 }, () => dial(proxy.port)));
  const cut = await joinThrough(proxy, handheld);
  cut.client.socket.pause();
  proxy.cutAfter(1);
  cut.server.write("12");
  await proxy.until(({ bytesToClient }) => bytesToClient === 1);
  proxy.delay(3_600_000);
  for (const { socket } of late) socket.write("late");
  await proxy.until(({ held }) => held === 4 * late.length);
  const waiting = proxy.until(({ opened }) => opened === 100);
  await proxy[Symbol.asyncDispose]();
  await expect(waiting).rejects.toThrow("disposed while a test waited");
  expect(await late[0]?.ended).toBe("end");
  await expect(dial(proxy.port)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  await Promise.all([...late, cut, handheld].map((resource) => resource[Symbol.asyncDispose]()));
  expect(await leftOver(before)).toEqual([]);
});

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
