import { once } from "node:events";
import * as http from "node:http";
import * as https from "node:https";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type HttpPair, startPair } from "./http-pair.ts";
import { watchError } from "./kubernetes-answers.ts";
import { answerTo, type LoopbackClient, selfSigned, typed } from "./loopback.ts";
import type { Position } from "./position.ts";

const lines = ['{"type":"ADDED"}', '{"type":"MODIFIED"}', '{"type":"DELETED"}'];
const body = lines.map((line) => `${line}\n`).join("");

/** A server that answers everything with three lines, in chunks. */
function startLines(): Promise<HttpPair> {
  return startPair((_request, response) => {
    for (const line of lines) response.write(`${line}\n`);
    response.end();
  });
}

/** Sends a request and reads as far as the connection goes; the body without the frames of chunked encoding. */
async function bodyUntilCut(client: LoopbackClient): Promise<{ body: string; ended: string }> {
  client.socket.write(typed("GET / HTTP/1.1", "Host: h"));
  const ended = await client.ended;
  const [, framed = ""] = client.received.toString().split(/\r\n\r\n([^]*)/);
  return { body: framed.replaceAll(/[\da-f]+\r\n([^]*?)\r\n/g, "$1"), ended };
}

describe("rules", () => {
  test("the first that matches wins, a used up one makes way, a removed one is gone, the rest passes", async () => {
    await using pair = await startPair((_request, response) => response.end());
    const { proxy } = pair;
    const once503 = proxy.answer({ status: 503, times: 1 });
    const pods = proxy.answer({ match: ({ path }) => path.startsWith("/api/v1/pods"), status: 500 });
    proxy.answer({ match: ({ method }) => method === "POST", status: 409, times: 1 });
    const status = async (path: string, method = "GET") => (await fetch(new URL(path, proxy.url), { method })).status;
    expect(await status("/api/v1/pods")).toBe(503);
    expect(await status("/api/v1/pods?limit=1", "POST")).toBe(500);
    expect(await status("/api/v1/nodes")).toBe(200);
    pods.remove();
    expect(await status("/api/v1/pods", "POST")).toBe(409);
    expect(await status("/api/v1/pods", "POST")).toBe(200);
    expect([once503.used, pods.used]).toEqual([1, 1]);
    {
      using _teapot = proxy.answer({ status: 418 });
      expect(await status("/")).toBe(418);
    }
    proxy.answer({ status: 500 });
    proxy.restore();
    expect(await status("/")).toBe(200);
  });

  test("see credentials, the record does not", async () => {
    await using pair = await startPair((_request, response) => response.end());
    pair.proxy.answer({ match: ({ headers }) => headers.authorization === "Bearer old", status: 401 });
    const headers = {
      authorization: "Bearer old",
      cookie: "session=1",
      "sec-websocket-protocol": "v4.channel.k8s.io, base64url.bearer.authorization.k8s.io.c2VjcmV0",
    };
    const answer = await fetch(new URL("/api?x=1", pair.proxy.url), { method: "PUT", headers, body: "12345" });
    await pair.proxy.when(({ isOpen }) => !isOpen);
    expect(answer.status).toBe(401);
    expect(pair.proxy.requests).toMatchObject([
      {
        method: "PUT",
        path: "/api?x=1",
        status: 401,
        requestBytes: 5,
        responseBytes: 0,
        headers: {
          authorization: "***",
          cookie: "***",
          "sec-websocket-protocol": "v4.channel.k8s.io, base64url.bearer.authorization.k8s.io.***",
        },
      },
    ]);
    expect(pair.proxy.count(({ method }) => method === "GET")).toBe(0);
    expect(JSON.stringify(pair.proxy.requests)).not.toMatch(/old|session|c2VjcmV0/);
  });
});

describe("answer", () => {
  test("comes from the proxy alone, and the connection serves the next request", async () => {
    await using pair = await startLines();
    pair.proxy.answer({ status: 429, headers: { "Retry-After": "1" }, body: "later", times: 1 });
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const request = http.request(pair.proxy.url, { method: "POST", agent });
    request.end(Buffer.alloc(300_000));
    const first = await answerTo(request);
    expect([first.statusCode, first.headers["retry-after"], await text(first)]).toEqual([429, "1", "later"]);
    const second = await answerTo(http.get(pair.proxy.url, { agent }));
    expect([second.statusCode, await text(second)]).toEqual([200, body]);
    expect(second.socket).toBe(first.socket);
    agent.destroy();
    expect(pair.proxy.requests[0]).toMatchObject({ requestBytes: 300_000, responseBytes: 5, status: 429 });
  });
});

describe("delay and silence", () => {
  test.each<Position>(["request", "headers", { lines: 1 }])("a delay at %j comes before the rest", async (at) => {
    await using pair = await startLines();
    pair.proxy.delay({ milliseconds: 30, at });
    const start = performance.now();
    expect(await (await fetch(pair.proxy.url)).text()).toBe(body);
    expect(performance.now() - start).toBeGreaterThanOrEqual(29);
  });

  test("silence lets the server work and keeps the headers, until it is removed", async () => {
    await using pair = await startLines();
    const silence = pair.proxy.silence({ times: 1 });
    const answered = once(pair.server, "request");
    const silent = fetch(pair.proxy.url);
    await answered;
    expect(await (await fetch(pair.proxy.url)).text()).toBe(body);
    expect(pair.proxy.requests).toMatchObject([{ status: undefined, isOpen: true }, { status: 200 }]);
    silence.remove();
    expect(await (await silent).text()).toBe(body);
  });

  test("silence in a body stalls after exactly so many bytes, until it is removed", async () => {
    await using pair = await startLines();
    pair.proxy.silence({ at: { bytes: 20 } });
    const answer = await answerTo(http.get(pair.proxy.url, { agent: false }));
    const [first] = await once(answer, "data");
    const seen = [first];
    answer.on("data", (chunk) => seen.push(chunk));
    await pair.proxy.when(({ responseBytes }) => responseBytes === 20);
    while (Buffer.concat(seen).length < 20) await once(answer, "data");
    expect(pair.proxy.requests[0]).toMatchObject({ responseBytes: 20, isOpen: true });
    pair.proxy.restore();
    await once(answer, "end");
    expect(Buffer.concat(seen).toString()).toBe(body);
  });

  test.each<{ at: Position; heard: number }>([
    { at: "request", heard: 0 },
    { at: "headers", heard: 1 },
    { at: { lines: 1 }, heard: 1 },
  ])(
    "a client that leaves a silence at $at is noticed, and stays gone when the silence ends",
    async ({ at, heard }) => {
      const sockets: Socket[] = [];
      await using pair = await startPair((request, response) => {
        sockets.push(request.socket);
        response.write(body);
      });
      pair.proxy.silence({ at });
      const arrived = heard === 0 ? pair.proxy.when(() => true) : once(pair.server, "request");
      const client = await pair.dial();
      client.socket.write(typed("GET / HTTP/1.1", "Host: h"));
      await arrived;
      client.socket.destroy();
      await pair.proxy.when(({ isOpen }) => !isOpen);
      pair.proxy.restore();
      for (let turn = 0; turn < 20; turn += 1) await setImmediate();
      expect(sockets.map(({ destroyed }) => destroyed)).toEqual(Array.from({ length: heard }, () => true));
    },
  );
});

describe("cut", () => {
  test.each([
    { at: { bytes: 0 }, gets: "", reason: "headers but no body" },
    { at: { bytes: 20 }, gets: body.slice(0, 20), reason: "in the middle of the second line" },
    { at: { lines: 2 }, gets: `${lines[0]}\n${lines[1]}\n`, reason: "after the second line" },
    { at: { lines: 1, bytes: 5 }, gets: `${lines[0]}\n{"typ`, reason: "five bytes into the second line" },
    { at: { lines: 3 }, gets: body, reason: "after the last line, but before the end of the body" },
  ])("at $at: $reason", async ({ at, gets }) => {
    await using pair = await startLines();
    pair.proxy.cut({ at });
    expect(await bodyUntilCut(await pair.dial())).toEqual({ body: gets, ended: "ECONNRESET" });
    expect(pair.proxy.requests[0]).toMatchObject({ status: 200, responseBytes: gets.length });
  });

  test("by FIN leaves a body without its end", async () => {
    await using pair = await startLines();
    pair.proxy.cut({ at: { lines: 2 }, style: "end" });
    expect(await bodyUntilCut(await pair.dial())).toEqual({ body: `${lines[0]}\n${lines[1]}\n`, ended: "end" });
  });

  test.each(["reset", "end"] as const)(
    "by %s comes after exactly so many bytes of a big body, over TLS too",
    async (style) => {
      const tls = await selfSigned("proxy");
      await using pair = await startPair((_request, response) => response.end(Buffer.alloc(4_000_000)), { tls });
      pair.proxy.cut({ at: { bytes: 3_000_001 }, style });
      const answer = await answerTo(https.get(pair.proxy.url, { ca: tls.cert, agent: false }));
      let received = 0;
      answer.on("data", (chunk: Buffer) => {
        received += chunk.length;
      });
      const [error] = await once(answer, "error");
      expect(error).toMatchObject({ code: "ECONNRESET" });
      expect(received).toBe(3_000_001);
    },
  );

  test.each([
    { at: "request", worked: 0, reason: "the server never hears of it" },
    { at: "headers", worked: 1, reason: "the server has done its work" },
  ] as const)("at $at: no answer, and $reason", async ({ at, worked }) => {
    let served = 0;
    await using pair = await startPair((_request, response) => {
      served += 1;
      response.end();
    });
    pair.proxy.cut({ at, times: 1 });
    await expect(fetch(pair.proxy.url, { method: "POST" })).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
    expect(served).toBe(worked);
    expect((await fetch(pair.proxy.url)).status).toBe(200);
  });

  test("does not come when the body ends before its place", async () => {
    await using pair = await startLines();
    pair.proxy.cut({ at: { lines: 4 } });
    expect(await (await fetch(pair.proxy.url)).text()).toBe(body);
  });
});

describe("inject", () => {
  test.each([
    { at: {}, expected: ["new", ...lines], reason: "before the first line" },
    { at: { lines: 2 }, expected: [lines[0], lines[1], "new", lines[2]], reason: "between two lines" },
    { at: { lines: 3 }, expected: [...lines, "new"], reason: "after the last line" },
  ])("puts a line $reason", async ({ at, expected }) => {
    await using pair = await startLines();
    pair.proxy.inject({ line: "new", at });
    expect((await (await fetch(pair.proxy.url)).text()).trim().split("\n")).toEqual(expected);
  });

  test("ends a watch that goes on, as the API server does after an ERROR", async () => {
    const left = Promise.withResolvers<void>();
    await using pair = await startPair((request, response) => {
      response.write(`${lines[0]}\n`);
      request.socket.once("close", () => left.resolve());
    });
    pair.proxy.inject({ line: watchError(), at: { lines: 1 }, end: true });
    const agent = new http.Agent({ keepAlive: true });
    const answer = await answerTo(http.get(pair.proxy.url, { agent }));
    const { socket } = answer;
    const [first, second] = (await text(answer)).trim().split("\n");
    expect(first).toBe(lines[0]);
    expect(JSON.parse(second ?? "")).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
    await left.promise;
    expect(socket.destroyed).toBe(false);
    agent.destroy();
  });

  test("makes room in a body whose length was announced", async () => {
    await using pair = await startPair((_request, response) =>
      response.writeHead(200, { "content-length": "3" }).end("abc"),
    );
    pair.proxy.inject({ line: "new" });
    expect(await (await fetch(pair.proxy.url)).text()).toBe("new\nabc");
  });
});
