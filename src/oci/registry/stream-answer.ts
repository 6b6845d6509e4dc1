import * as http from "node:http";
import * as net from "node:net";
import { Duplex } from "node:stream";
import * as tls from "node:tls";
import type { HttpAnswer, StreamTarget } from "./registry-http.ts";
import { connectTimeout, headersTimeout, silenceTimeout } from "./http-timeouts.ts";

/** Read at once. */
const chunkBytes = 512 * 1024;

/**
 * Sends a request without a body on a connection of its own. The body of the answer is read from the socket into memory
 * that is used again, so that a large blob leaves no garbage: a chunk is valid until the next one is asked for.
 * Node's parser reads the head, and all of an answer that is an error or does not name its length.
 */
export async function streamAnswer(
  { method, url, headers, secureContext }: StreamTarget,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const connection = new StreamedConnection(url, secureContext);
  const sent = http.request({
    method,
    path: `${url.pathname}${url.search}`,
    headers: { host: url.host, connection: "close", ...headers },
    createConnection: () => connection,
    signal,
  });
  sent.end();
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  sent.on("error", reject);
  let length: number | undefined;
  sent.once("response", (answer) => {
    length = bodyLength(answer);
    // From here on the parser gets nothing more; what it has read already is in `answer`.
    if (length !== undefined) connection.detachParser();
    resolve(answer);
  });
  const answer = await promise;
  // Ending the connection early is an error to the parser.
  answer.on("error", () => {});
  const direct = length === undefined ? answer : connection.chunks(answer, length);
  return {
    status: answer.statusCode ?? 0,
    headers: plainHeaders(answer.headers),
    body: { [Symbol.asyncIterator]: () => direct[Symbol.asyncIterator](), destroy: () => connection.destroy() },
  };
}

export function plainHeaders(headers: http.IncomingHttpHeaders): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) flat[name] = String(value);
  return flat;
}

/** How many bytes follow the head as they are; undefined if the parser has to find the end. */
function bodyLength({ statusCode, headers }: http.IncomingMessage): number | undefined {
  const isContent = statusCode === 200 || statusCode === 206;
  const length = headers["content-length"];
  if (!isContent || length === undefined || headers["transfer-encoding"] !== undefined) return undefined;
  return Number(length);
}

/** A connection that Node's HTTP client uses for the head of one answer, and that is read directly after that. */
class StreamedConnection extends Duplex {
  readonly #memory = Buffer.allocUnsafeSlow(chunkBytes);
  readonly #socket: net.Socket;
  readonly #isSecure: boolean;
  #hasParser = true;
  #received: Uint8Array | undefined;
  /** What TLS gave while the chunk before it is in use, and the memory of that chunk. */
  #memories: [collecting: Buffer, inUse: Buffer] = [Buffer.alloc(0), Buffer.alloc(0)];
  #hasEnded = false;
  #wake: () => void = () => {};

  constructor(url: URL, secureContext: tls.SecureContext | undefined) {
    super();
    const isSecure = url.protocol === "https:";
    this.#isSecure = isSecure;
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const onread = { buffer: this.#memory, callback: (bytes: number) => this.#receive(bytes) };
    const options = { host, port: Number(url.port) || (isSecure ? 443 : 80), onread };
    this.#socket = isSecure
      ? tls.connect({
          ...options,
          ...(net.isIP(host) === 0 ? { servername: host } : {}),
          ...(secureContext === undefined ? {} : { secureContext }),
          ALPNProtocols: ["http/1.1"],
        })
      : net.connect(options);
    // The HTTP client stops listening when it has the whole answer.
    this.on("error", () => {});
    this.#socket.setTimeout(connectTimeout);
    this.#socket.once(isSecure ? "secureConnect" : "connect", () => this.#socket.setTimeout(headersTimeout));
    this.#socket.on("timeout", () => this.destroy(new Error("the connection is silent")));
    this.#socket.on("error", (error) => this.destroy(error));
    this.#socket.on("close", () => this.#end());
    this.#socket.on("end", () => this.#end());
  }

  override _read(): void {
    if (this.#hasParser) this.#socket.resume();
  }

  override _write(chunk: Uint8Array, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    this.#wake();
    done(error);
  }

  detachParser(): void {
    this.#hasParser = false;
  }

  /** The body of an answer: what the parser has read of it, then what comes from the socket. */
  async *chunks(begun: http.IncomingMessage, length: number): AsyncGenerator<Uint8Array> {
    try {
      const first: Buffer | null = begun.read();
      if (first !== null) yield first;
      for (let left = length - (first?.length ?? 0); left > 0; ) {
        const chunk = await this.#next();
        if (chunk === undefined) return;
        yield chunk.subarray(0, left);
        left -= chunk.length;
      }
    } finally {
      this.destroy();
    }
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#received === undefined && !this.#hasEnded && !this.destroyed) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      this.#socket.setTimeout(silenceTimeout);
      this.#socket.resume();
      await promise;
      this.#socket.setTimeout(0);
    }
    if (this.errored) throw this.errored;
    const chunk = this.#received;
    this.#received = undefined;
    this.#memories.reverse();
    return chunk;
  }

  /** Reads no more until `resume`, because the memory is in use. */
  #receive(bytes: number): boolean {
    const part = this.#memory.subarray(0, bytes);
    if (this.#hasParser) this.push(Buffer.from(part));
    else this.#received = this.#isSecure ? this.#collect(part) : part;
    // TLS gives the next records before anything else happens.
    if (this.#isSecure) setImmediate(this.#wake);
    else this.#wake();
    return false;
  }

  /** TLS goes on until all that it has decrypted is given. */
  #collect(part: Uint8Array): Uint8Array {
    const before = this.#received?.length ?? 0;
    const end = before + part.length;
    let [memory] = this.#memories;
    if (end > memory.length) {
      memory = Buffer.concat([memory.subarray(0, before)], Math.max(chunkBytes, 2 * end));
      this.#memories[0] = memory;
    }
    memory.set(part, before);
    return memory.subarray(0, end);
  }

  #end(): void {
    this.#hasEnded = true;
    if (this.#hasParser) this.push(null);
    this.#wake();
  }
}
