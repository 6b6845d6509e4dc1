import { createHash } from "node:crypto";
import { once } from "node:events";
import * as http from "node:http";
import * as https from "node:https";
import { pipeline, Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { startPair } from "./http-pair.ts";
import { startHttpProxy } from "./http-proxy.ts";
import {
  answerTo,
  endlessly,
  leftOver,
  randomBytes,
  randomChunks,
  seededRandom,
  selfSigned,
  startServer,
  typed,
} from "./loopback.ts";

describe("streams", () => {
  test("a watch arrives line by line, the next sent only when the last has come", async () => {
    const lines = Array.from(
      { length: 100 },
      (_, index) => `${JSON.stringify({ type: "ADDED", object: { index } })}\n`,
    );
    const started = Promise.withResolvers<http.ServerResponse>();
    await using pair = await startPair((_request, response) => {
      response.flushHeaders();
      started.resolve(response);
    });
    const answer = await fetch(new URL("/api/v1/pods?watch=true", pair.proxy.url));
    const server = await started.promise;
    const reader = answer.body?.getReader();
    for (const line of lines) {
      server.write(line);
      const chunk = await reader?.read();
      expect(new TextDecoder().decode(chunk?.value)).toBe(line);
    }
    server.end();
    expect(await reader?.read()).toMatchObject({ done: true });
  });

  test("the head of a request arrives before its body", async () => {
    await using pair = await startPair(async (request, response) => response.end(await text(request)));
    const arrived = once(pair.server, "request");
    const client = await pair.dial();
    client.socket.write(typed("POST / HTTP/1.1", "Host: h", "Content-Length: 4", "Connection: close"));
    await arrived;
    client.socket.write("body");
    await client.ended;
    expect(client.received.toString()).toMatch(/body$/);
  });

  test("200 at once arrive as they were sent, both ways", async () => {
    await using pair = await startPair((request, response) => pipeline(request, response, () => {}));
    const random = seededRandom(2);
    const streams = Array.from({ length: 200 }, async () => {
      const sent = randomBytes(Math.floor(random() * 20_000), random);
      const request = http.request(pair.proxy.url, { method: "POST", agent: false });
      Readable.from(randomChunks(sent, random)).pipe(request);
      const received = await buffer(await answerTo(request));
      expect(sha256(received)).toBe(sha256(sent));
      return sent.length;
    });
    const total = (await Promise.all(streams)).reduce((sum, length) => sum + length);
    await pair.proxy.when(({ isOpen }) => !isOpen, 200);
    const sum = (counted: "requestBytes" | "responseBytes") =>
      pair.proxy.requests.reduce((all, request) => all + request[counted], 0);
    expect([sum("requestBytes"), sum("responseBytes")]).toEqual([total, total]);
  });

  test("a slow client slows the server down instead of filling the proxy", async () => {
    await using pair = await startPair((_request, response) => pipeline(endlessly(), response, () => {}));
    const client = await pair.dial({ reads: false });
    client.socket.write(typed("GET / HTTP/1.1", "Host: h"));
    await pair.proxy.when(() => pair.proxy.held > 60_000);
    // In each turn of the event loop a proxy that does not stop reading takes up to two megabytes more.
    for (let turn = 0; turn < 50; turn += 1) await setImmediate();
    expect(pair.proxy.held).toBeLessThan(1024 * 1024);
    const { responseBytes = 0 } = pair.proxy.requests[0] ?? {};
    client.socket.resume();
    await pair.proxy.when((request) => request.responseBytes > responseBytes + 5_000_000);
    expect(pair.proxy.held).toBeLessThan(1024 * 1024);
  });
});

describe("a client's connection", () => {
  test("has an upstream connection of its own, for as long as both want", async () => {
    const ports = new Set<number | undefined>();
    await using pair = await startPair((request, response) => {
      ports.add(request.socket.remotePort);
      response.end();
    });
    const [one, other] = [await pair.dial(), await pair.dial()];
    for (let index = 1; index <= 3; index += 1) {
      one.socket.write(typed("GET / HTTP/1.1", "Host: h"));
      await pair.proxy.when(({ isOpen }) => !isOpen, index);
    }
    expect(ports.size).toBe(1);
    other.socket.write(typed("GET / HTTP/1.1", "Host: h"));
    await pair.proxy.when(({ isOpen }) => !isOpen, 4);
    expect(ports.size).toBe(2);
  });

  test.each(["plain", "TLS"])("(%s) ends when the server closes its twin in idleness", async (kind) => {
    const certificate = await selfSigned("proxy");
    await using pair = await startPair(
      (_request, response) => response.end("ok"),
      kind === "TLS" ? { tls: certificate } : {},
    );
    const request =
      kind === "TLS"
        ? https.get(pair.proxy.url, { ca: certificate.cert, agent: new https.Agent({ keepAlive: true }) })
        : http.get(pair.proxy.url, { agent: new http.Agent({ keepAlive: true }) });
    const answer = await answerTo(request);
    const closed = once(answer.socket, "close");
    await text(answer);
    await pair.proxy.when(({ isOpen }) => !isOpen);
    pair.server.closeAllConnections();
    const [hadError] = await closed;
    expect(hadError).toBe(false);
  });

  test("takes its twin with it when it ends in idleness", async () => {
    await using pair = await startPair((_request, response) => response.end());
    const [client, accepted] = [await pair.dial(), once(pair.server, "connection")];
    client.socket.write(typed("GET / HTTP/1.1", "Host: h"));
    const [twin] = await accepted;
    const closed = once(twin, "close");
    await pair.proxy.when(({ isOpen }) => !isOpen);
    client.socket.end();
    const [hadError] = await closed;
    expect(hadError).toBe(false);
  });

  test("is reset when the server cannot be reached", async () => {
    const server = await startServer(http.createServer());
    await server[Symbol.asyncDispose]();
    await using proxy = await startHttpProxy({ target: new URL(`http://127.0.0.1:${server.port}`) });
    await expect(fetch(proxy.url)).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
  });

  test("is reset when the server breaks off in the middle of its answer, after what had come", async () => {
    await using pair = await startPair((request, response) => {
      response.writeHead(200, { "content-length": "10" });
      response.write("half", () => request.socket.destroy());
    });
    const client = await pair.dial();
    client.socket.write(typed("GET / HTTP/1.1", "Host: h"));
    expect(await client.ended).toBe("ECONNRESET");
    expect(client.received.toString()).toMatch(/\r\n\r\nhalf$/);
  });

  test.each([
    { begins: false, reason: "before the answer has begun" },
    { begins: true, reason: "in the middle of a watch" },
  ])("ends the request at the server as soon as the client leaves, $reason", async ({ begins }) => {
    const left = Promise.withResolvers<void>();
    await using pair = await startPair((request, response) => {
      if (begins) response.write("{}\n");
      request.socket.once("close", () => left.resolve());
    });
    const client = await pair.dial();
    client.socket.write(typed("GET /?watch=true HTTP/1.1", "Host: h"));
    await pair.proxy.when(({ status }) => status === (begins ? 200 : undefined));
    client.socket.destroy();
    await left.promise;
    expect(pair.proxy.count(({ isOpen }) => isOpen)).toBe(0);
  });
});

describe("dispose", () => {
  test.each(["plain", "TLS"])("(%s) closes everything and leaves no handle, whatever was going on", async (kind) => {
    const certificate = await selfSigned("proxy");
    const before = process.getActiveResourcesInfo();
    const pair = await startPair(
      (_request, response) => response.write("{}\n"),
      kind === "TLS" ? { tls: certificate } : {},
    );
    const { proxy, server } = pair;
    server.on("upgrade", (_request, socket) =>
      socket.write(typed("HTTP/1.1 101 Switching Protocols", "Upgrade: x", "Connection: upgrade")),
    );
    proxy.delay({ match: ({ path }) => path === "/delayed", milliseconds: 3_600_000 });
    proxy.silence({ match: ({ path }) => path === "/silent" });
    const request = kind === "TLS" ? https.request : http.request;
    const closed = ["/watch", "/silent", "/upgrade", ...Array.from({ length: 10 }, () => "/delayed")].map(
      async (path) => {
        const headers = path === "/upgrade" ? { connection: "upgrade", upgrade: "x" } : {};
        const client = request(new URL(path, proxy.url), { ca: certificate.cert, agent: false, headers });
        client.on("error", () => {}).on("response", (answer) => answer.on("error", () => {}).resume());
        client.on("upgrade", (_answer, socket) => socket.resume());
        client.end();
        const [socket] = await once(client, "socket");
        await once(socket, "close");
      },
    );
    await proxy.when(({ status }) => status === 200);
    await proxy.when(({ status }) => status === 101);
    await proxy.when(() => true, 13);
    const waiting = proxy.when(({ path }) => path === "/never");
    await pair[Symbol.asyncDispose]();
    await expect(waiting).rejects.toThrow("disposed while a test waited");
    await Promise.all(closed);
    expect(await leftOver(before)).toEqual([]);
  });

  test("throws what a rule of the test has thrown", async () => {
    const pair = await startPair((_request, response) => response.end());
    const mistake = new Error("no such field");
    pair.proxy.answer({
      match: () => {
        throw mistake;
      },
      status: 500,
    });
    await expect(fetch(pair.proxy.url)).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
    await expect(pair[Symbol.asyncDispose]()).rejects.toMatchObject({ errors: [mistake] });
  });
});

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
