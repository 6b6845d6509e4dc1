import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { afterEach, describe, expect, test } from "vitest";
import { closeServer, listenOn, systemClock } from "#base";
import { selfSigned } from "#faults";
import { readWholeBlob } from "./blobs.ts";
import { computeDigest } from "./digest.ts";
import { parseDockerConfig } from "./docker-config.ts";
import type { Descriptor } from "./manifest-content.ts";
import { openRegistries, type RegistrySettings } from "./open-registries.ts";
import { RegistryError } from "./registry-error.ts";
import { sendStream } from "./send-stream.ts";
import { uploadBlob } from "./upload-blob.ts";

const signal = new AbortController().signal;
/** Waits take no time. */
const clock = { ...systemClock, sleep: async () => {} };
const bytes = randomBytes(3_000_000);
const blob: Descriptor = { mediaType: "application/octet-stream", digest: computeDigest(bytes), size: bytes.length };

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

async function serve(handle: Handler): Promise<string> {
  const server = createServer((request, response) => void handle(request, response));
  ends.push(() => closeServer(server));
  return `localhost:${await listenOn(server, "127.0.0.1", 0)}`;
}

type Read = (request: IncomingMessage, response: ServerResponse, attempt: number) => unknown;

/** A registry that answers reads of the blob as a test says, and records them. */
async function serveBlob(read: Read): Promise<{ host: string; ranges: (string | undefined)[] }> {
  const ranges: (string | undefined)[] = [];
  const host = await serve((request, response) => {
    ranges.push(request.headers.range);
    read(request, response, ranges.length);
  });
  return { host, ranges };
}

/** Answers a range as registries do. */
function sendFrom(request: IncomingMessage, response: ServerResponse, mostBytes?: number): void {
  const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
  response.writeHead(from === 0 ? 200 : 206, { "content-length": bytes.length - from });
  if (mostBytes === undefined) response.end(bytes.subarray(from));
  else response.write(bytes.subarray(from, from + mostBytes), () => void response.destroy());
}

interface Received {
  /** Digests of what arrived as a whole. */
  readonly bodies: string[];
  readonly authorizations: (string | undefined)[];
}

/** Takes uploads in one piece, as a registry does. */
function takeUploads(received: Received, take?: Handler): Handler {
  return async (request: IncomingMessage, response: ServerResponse) => {
    received.authorizations.push(request.headers.authorization);
    if (request.method === "PATCH" && take !== undefined) {
      take(request, response);
      return;
    }
    const hash = createHash("sha256");
    for await (const chunk of request) hash.update(chunk);
    if (request.method === "PATCH") received.bodies.push(`sha256:${hash.digest("hex")}`);
    const isBegin = request.method === "POST" || request.method === "PATCH";
    response
      .writeHead(isBegin ? 202 : request.method === "PUT" ? 201 : 404, { location: "/v2/acme/copy/session" })
      .end();
  };
}

async function serveUploads(take?: Handler): Promise<Received & { host: string }> {
  const received: Received = { bodies: [], authorizations: [] };
  return { ...received, host: await serve(takeUploads(received, take)) };
}

function copyBlob(from: string, to: string, settings: RegistrySettings = {}, until = signal): Promise<void> {
  const registries = openRegistries({ clock, ...settings });
  ends.push(async () => await registries[Symbol.asyncDispose]());
  const { source, target } = registries.clients(
    { registry: from, repository: "acme/large" },
    { registry: to, repository: "acme/copy" },
    "pull,push",
  );
  return uploadBlob({ source, target, blob, onBytes: () => {} }, until);
}

describe("a large blob is copied without a change", () => {
  const cases: { reason: string; read: Read; ranges: (string | undefined)[] }[] = [
    { reason: "in one answer", read: (request, response) => sendFrom(request, response), ranges: [undefined] },
    {
      reason: "where the answer does not name its length",
      read: (_, response) => response.writeHead(200).end(bytes),
      ranges: [undefined],
    },
    {
      reason: "where the first bytes come one after the other",
      read: (_, response) => {
        response.socket?.setNoDelay(true);
        response.writeHead(200, { "content-length": bytes.length });
        response.flushHeaders();
        for (let at = 0; at < 100; at++) response.write(bytes.subarray(at, at + 1));
        response.end(bytes.subarray(100));
      },
      ranges: [undefined],
    },
    {
      reason: "where a hint comes before the answer",
      read: (request, response) => {
        response.writeEarlyHints({ link: "</x>; rel=preload" });
        sendFrom(request, response);
      },
      ranges: [undefined],
    },
    {
      reason: "where the connection breaks",
      read: (request, response, attempt) => sendFrom(request, response, attempt === 1 ? 1_000_000 : undefined),
      ranges: [undefined, "bytes=1000000-2999999"],
    },
    {
      reason: "where the registry is busy at first",
      read: (request, response, attempt) =>
        attempt === 1 ? response.writeHead(503).end("busy") : sendFrom(request, response),
      ranges: [undefined, undefined],
    },
  ];
  test.for(cases)("$reason", async ({ read, ranges }) => {
    const source = await serveBlob(read);
    const target = await serveUploads();
    await copyBlob(source.host, target.host);
    expect(target.bodies).toEqual([blob.digest]);
    expect(source.ranges).toHaveLength(ranges.length);
    // How much arrives before a connection breaks is the network's.
    expect(source.ranges.map((range) => range?.replace(/=\d+/, "=1000000"))).toEqual(ranges);
  });
});

test("a redirect of a large blob to another host is followed without credentials", async () => {
  const storage = await serveBlob((request, response) => sendFrom(request, response));
  const seen: (string | undefined)[] = [];
  const source = await serveBlob((request, response) => {
    seen.push(request.headers.authorization);
    if (request.headers.authorization === undefined) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="test"' }).end();
    } else {
      response.writeHead(307, { location: `http://${storage.host}/storage` }).end("elsewhere");
    }
  });
  const target = await serveUploads();
  const basic = Buffer.from("robot:not-to-be-printed").toString("base64");
  const credentials = parseDockerConfig(JSON.stringify({ auths: { [source.host]: { auth: basic } } }), "test");
  await copyBlob(source.host, target.host, { credentials });
  expect(target.bodies).toEqual([blob.digest]);
  expect(seen).toEqual([undefined, `Basic ${basic}`]);
  expect(target.authorizations).not.toContain(`Basic ${basic}`);
});

test("an error of a registry is reported with its words, not as a broken blob", async () => {
  const errors = JSON.stringify({ errors: [{ code: "BLOB_UNKNOWN", message: "collected yesterday" }] });
  const source = await serveBlob((_, response) => response.writeHead(404).end(errors));
  const target = await serveUploads();
  await expect(copyBlob(source.host, target.host)).rejects.toThrow("collected yesterday");
  expect(target.bodies).toEqual([]);
});

test("memory of an upload is used again only when it has left the process", async () => {
  const got: Buffer[] = [];
  const host = await serve(async (request, response) => {
    for await (const chunk of request) got.push(chunk);
    response.end();
  });
  // More than sockets buffer.
  const memory = Buffer.alloc(16 * 2 ** 20);
  async function* body(): AsyncGenerator<Uint8Array> {
    yield memory.fill(1);
    yield memory.fill(2);
  }
  const target = { method: "PATCH", url: new URL(`http://${host}/`), headers: {}, secureContext: undefined } as const;
  const answer = await sendStream(target, body(), signal);
  expect(answer.status).toBe(200);
  const arrived = Buffer.concat(got);
  expect(arrived.length).toBe(2 * memory.length);
  expect(arrived.indexOf(2)).toBe(memory.length);
});

test("a registry that refuses an upload before it has read it is reported at once", async () => {
  const source = await serveBlob((request, response) => sendFrom(request, response));
  const target = await serveUploads((request, response) => {
    request.pause();
    response.writeHead(403).end(JSON.stringify({ errors: [{ code: "DENIED", message: "the quota is used up" }] }));
  });
  await expect(copyBlob(source.host, target.host)).rejects.toThrow("the quota is used up");
});

test("a copy that is aborted while the target reads nothing ends, and closes its connections", async () => {
  const closed = Promise.withResolvers<void>();
  const source = await serveBlob((request, response) => {
    request.socket.once("close", () => closed.resolve());
    response.writeHead(200, { "content-length": bytes.length });
    response.write(bytes.subarray(0, 1000));
  });
  const aborting = new AbortController();
  const target = await serveUploads((request) => {
    request.pause();
    aborting.abort(new Error("enough"));
  });
  await expect(copyBlob(source.host, target.host, {}, aborting.signal)).rejects.toThrow("enough");
  await closed.promise;
});

test("a large blob is copied over TLS between registries whose CA is given, and between no others", async () => {
  const tls = await selfSigned("127.0.0.1");
  const received: Received = { bodies: [], authorizations: [] };
  const take = takeUploads(received);
  const server = createSecureServer(tls, (request, response) => {
    if (request.method === "GET") sendFrom(request, response);
    else void take(request, response);
  });
  ends.push(() => closeServer(server));
  const host = `127.0.0.1:${await listenOn(server, "127.0.0.1", 0)}`;
  await copyBlob(host, host, { certificateAuthority: tls.cert });
  expect(received.bodies).toEqual([blob.digest]);
  const other = await selfSigned("127.0.0.1");
  await using strict = openRegistries({ clock, certificateAuthority: other.cert });
  const client = strict.client({ registry: host, repository: "acme/large" }, "pull");
  const refused = readWholeBlob(client, blob, bytes.length, signal);
  await expect(refused).rejects.toThrow(RegistryError);
  await expect(refused).rejects.toThrow("certificate");
});
