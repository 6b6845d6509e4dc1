import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { ClientRequest, IncomingMessage } from "node:http";
import { connect, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { listen, trackSockets } from "./sockets.ts";

/** A real server for one test; disposing it closes its connections. */
export interface LoopbackServer extends AsyncDisposable {
  readonly port: number;
  readonly target: { readonly host: string; readonly port: number };
}

export async function startServer(server: Server): Promise<LoopbackServer> {
  const sockets = trackSockets();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  const port = await listen(server, 0);
  return {
    port,
    target: { host: "127.0.0.1", port },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      await sockets.closeAll();
      await closed;
    },
  };
}

/** A bare client: what it has received so far, and how its connection ended. */
export interface LoopbackClient extends AsyncDisposable {
  readonly socket: Socket;
  readonly received: Buffer;
  /** Everything received, once there are so many bytes of it. */
  hear(bytes: number): Promise<string>;
  /** "end" after a FIN, or the code of the error. */
  readonly ended: Promise<string>;
}

/** Connects and reads, or leaves everything in the kernel until `socket.resume()`. */
export async function dial(
  port: number,
  options: { readonly reads: boolean } = { reads: true },
): Promise<LoopbackClient> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  // Before the first listener: it would make Node read ahead.
  if (!options.reads) socket.pause();
  const chunks: Buffer[] = [];
  const received = () => Buffer.concat(chunks);
  const ended = new Promise<string>((resolve) => {
    socket.once("end", () => resolve("end"));
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(socket, "connect");
  return {
    socket,
    get received() {
      return received();
    },
    async hear(bytes) {
      while (received().length < bytes) await once(socket, "data");
      return received().toString();
    },
    ended,
    async [Symbol.asyncDispose]() {
      if (socket.closed) return;
      const closed = once(socket, "close");
      socket.destroy();
      await closed;
    },
  };
}

/** The head of the answer; rejects when there is none. */
export function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => request.once("response", resolve).once("error", reject));
}

/** A request typed by hand, without a body. */
export function typed(...lines: string[]): string {
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** A self-signed certificate for 127.0.0.1, or for this address, and its key; it is its own CA. */
export async function selfSigned(
  commonName: string,
  address = "127.0.0.1",
): Promise<{ readonly key: string; readonly cert: string }> {
  const folder = await mkdtemp(join(tmpdir(), "tenon-faults-"));
  try {
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const keyOptions = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key];
    const subject = ["-subj", `/CN=${commonName}`, "-addext", `subjectAltName=IP:${address}`];
    await promisify(execFile)("openssl", ["req", "-x509", "-days", "2", "-out", cert, ...keyOptions, ...subject]);
    return { key: await readFile(key, "utf8"), cert: await readFile(cert, "utf8") };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Numbers between 0 and 1 that are the same in every run with one seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function randomBytes(length: number, random: () => number): Buffer {
  const words = Uint32Array.from({ length: Math.ceil(length / 4) }, () => random() * 2 ** 32);
  return Buffer.from(words.buffer, 0, length);
}

/** Cuts bytes into chunks of random sizes, mostly small. */
export function randomChunks(bytes: Buffer, random: () => number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const size = 1 + Math.floor(random() ** 3 * 20_000);
    chunks.push(bytes.subarray(start, start + size));
    start += size;
  }
  return chunks;
}

/** A body without end. */
export function endlessly(): Readable {
  const chunk = Buffer.alloc(64 * 1024);
  return new Readable({
    read() {
      this.push(chunk);
    },
  });
}

/**
 * What this process has open and had not `before`, both by `process.getActiveResourcesInfo`.
 * Waits a little for it to go: a handle is still listed in the turn of the event loop in which it closes.
 */
export async function leftOver(before: readonly string[]): Promise<string[]> {
  let left: string[] = [];
  for (let look = 0; look < 100; look += 1) {
    const known = Map.groupBy(before, (resource) => resource);
    left = process.getActiveResourcesInfo().filter((resource) => known.get(resource)?.pop() === undefined);
    if (left.length === 0) break;
    await setTimeout(5);
  }
  return left;
}
