import { once } from "node:events";
import type * as http from "node:http";
import * as https from "node:https";
import { text } from "node:stream/consumers";
import { TLSSocket } from "node:tls";
import { describe, expect, test } from "vitest";
import { startPair } from "./http-pair.ts";
import { startHttpProxy } from "./http-proxy.ts";
import { answerTo, selfSigned, startServer, typed } from "./loopback.ts";

describe("a request and its answer", () => {
  test("keep their headers in case, order and number", async () => {
    let rawHeaders: string[] = [];
    await using pair = await startPair((request, response) => {
      rawHeaders = request.rawHeaders;
      response.sendDate = false;
      response.writeHead(299, "Quite Fine", [
        "X-CaSe",
        "1",
        "set-cookie",
        "a",
        "Set-Cookie",
        "b",
        "content-LENGTH",
        "2",
      ]);
      response.end("ok");
    });
    const client = await pair.dial();
    client.socket.write(
      typed("GET /a%20b?c=d&c=e HTTP/1.1", "hOsT: else.where", "X-Two: 1", "x-two: 2", "connection: close"),
    );
    expect(await client.ended).toBe("end");
    expect(client.received.toString()).toBe(
      `${typed("HTTP/1.1 299 Quite Fine", "X-CaSe: 1", "set-cookie: a", "Set-Cookie: b", "content-LENGTH: 2", "Connection: close")}ok`,
    );
    expect(rawHeaders).toEqual(["hOsT", "else.where", "X-Two", "1", "x-two", "2", "connection", "close"]);
    expect(pair.proxy.requests[0]?.path).toBe("/a%20b?c=d&c=e");
  });

  test("keep their trailers", async () => {
    let trailers: NodeJS.Dict<string> = {};
    await using pair = await startPair(async (request, response) => {
      const body = await text(request);
      ({ trailers } = request);
      response.writeHead(200, { trailer: "X-Sum" });
      response.write(body);
      response.addTrailers({ "X-Sum": "42" });
      response.end();
    });
    const client = await pair.dial();
    client.socket.write(
      typed("POST / HTTP/1.1", "Host: h", "Trailer: X-Mine", "Transfer-Encoding: chunked", "Connection: close"),
    );
    client.socket.write("2\r\nhi\r\n0\r\nX-Mine: 7\r\n\r\n");
    expect(await client.ended).toBe("end");
    expect(trailers).toEqual({ "x-mine": "7" });
    expect(client.received.toString()).toMatch(/\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 42\r\n\r\n$/);
  });

  test.each([
    { method: "HEAD", status: 200, headers: { "content-length": "1234" }, reason: "tells a length and has no body" },
    {
      method: "HEAD",
      status: 200,
      headers: { "transfer-encoding": "chunked" },
      reason: "tells of chunks and has none",
    },
    { method: "HEAD", status: 200, headers: {}, reason: "tells nothing" },
    { method: "GET", status: 204, headers: {}, reason: "has no body" },
    {
      method: "GET",
      status: 304,
      headers: { etag: '"1"', "content-length": "9" },
      reason: "tells the length of another",
    },
    { method: "POST", status: 200, headers: { "content-length": "0" }, reason: "has no body in either direction" },
  ])("$method $status $reason, and the connection serves the next request", async ({ method, status, headers }) => {
    const seen: http.IncomingHttpHeaders[] = [];
    await using pair = await startPair((request, response) => {
      seen.push(request.headers);
      if (request.url === "/next") response.end("next");
      else response.writeHead(status, headers).end();
    });
    const client = await pair.dial();
    client.socket.write(typed(`${method} / HTTP/1.1`, "Host: h"));
    await pair.proxy.when(({ isOpen }) => !isOpen);
    client.socket.write(typed("GET /next HTTP/1.1", "Host: h", "Connection: close"));
    expect(await client.ended).toBe("end");
    const [head = "", nextHead, nextBody] = client.received.toString().split("\r\n\r\n");
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status}`));
    for (const [name, value] of Object.entries(headers)) expect(head).toContain(`${name}: ${value}`);
    expect(nextHead).toMatch(/^HTTP\/1.1 200/);
    expect(nextBody).toBe("next");
    expect(seen[0]?.["transfer-encoding"]).toBeUndefined();
  });

  test("wait for each other with Expect: 100-continue", async () => {
    let hasAnswered = false;
    await using pair = await startPair(() => {});
    const take = async (request: http.IncomingMessage, response: http.ServerResponse) => {
      response.writeContinue();
      response.end(`got ${await text(request)}`);
      hasAnswered = true;
    };
    pair.server.on("checkContinue", (request, response) => void take(request, response));
    const client = await pair.dial();
    client.socket.write(
      typed("PUT / HTTP/1.1", "Host: h", "Expect: 100-continue", "Content-Length: 4", "Connection: close"),
    );
    expect(await client.hear(25)).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    expect(hasAnswered).toBe(false);
    client.socket.write("body");
    expect(await client.ended).toBe("end");
    expect(client.received.toString()).toMatch(/\r\n\r\nHTTP\/1.1 200 OK\r\n[^]*got body/);
  });

  test("pass on a refusal of Expect: 100-continue before the body is sent", async () => {
    await using pair = await startPair(() => {});
    pair.server.on("checkContinue", (_request, response) => response.writeHead(413).end("too big"));
    const client = await pair.dial();
    client.socket.write(typed("PUT / HTTP/1.1", "Host: h", "Expect: 100-continue", "Content-Length: 4"));
    expect(await client.ended).toBe("end");
    expect(client.received.toString()).toMatch(/^HTTP\/1.1 413 [^]*too big/);
  });

  test("end with the connection when the server marks the end in no other way", async () => {
    await using pair = await startPair(({ socket }) => socket.end(`${typed("HTTP/1.1 200 OK")}until the end`));
    const client = await pair.dial();
    client.socket.write(typed("GET / HTTP/1.1", "Host: h"));
    expect(await client.ended).toBe("end");
    expect(client.received.toString()).toBe(`${typed("HTTP/1.1 200 OK")}until the end`);
  });
});

/** Whom a server believes to talk to. */
function whoami({ socket, headers }: http.IncomingMessage): unknown[] {
  const subject = socket instanceof TLSSocket ? socket.getPeerCertificate().subject : undefined;
  return [subject?.CN, headers.authorization, headers["impersonate-user"]];
}

describe("TLS", () => {
  test("on both sides: the caller's certificate, the server's CA, a client certificate, headers of the proxy's own", async () => {
    const [forProxy, forServer, forRobot] = await Promise.all([
      selfSigned("proxy"),
      selfSigned("server"),
      selfSigned("robot"),
    ]);
    await using server = await startServer(
      https.createServer({ ...forServer, ca: forRobot.cert, requestCert: true }, (request, response) =>
        response.end(JSON.stringify(whoami(request))),
      ),
    );
    await using proxy = await startHttpProxy({
      target: new URL(`https://127.0.0.1:${server.port}`),
      tls: forProxy,
      upstream: { tls: { ca: forServer.cert, ...forRobot }, headers: { Authorization: "Bearer proxy" } },
    });
    const headers = { authorization: "Bearer client", "impersonate-user": "ann" };
    const answer = await answerTo(https.get(proxy.url, { ca: forProxy.cert, headers, agent: false }));
    expect(JSON.parse(await text(answer))).toEqual(["robot", "Bearer proxy", "ann"]);
  });

  test("a server whose certificate is not trusted is a reset", async () => {
    const certificate = await selfSigned("server");
    await using server = await startServer(https.createServer(certificate, (_request, response) => response.end()));
    await using proxy = await startHttpProxy({ target: new URL(`https://127.0.0.1:${server.port}`), tls: certificate });
    const refused = https.get(proxy.url, { ca: certificate.cert, agent: false });
    expect(await once(refused, "error")).toMatchObject([{ code: "ECONNRESET" }]);
  });
});
