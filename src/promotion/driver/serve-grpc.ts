import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { describeError, type Logger } from "#base";

/** A method that takes one message and answers one. The signal is aborted when the caller has gone. */
export type GrpcMethod = (request: Buffer, signal: AbortSignal) => Promise<Buffer>;

/** https://grpc.github.io/grpc/core/md_doc_statuscodes.html */
const grpcStatus = { ok: 0, unknown: 2, invalidArgument: 3, resourceExhausted: 8, unimplemented: 12 } as const;

/** As many bytes as other servers take. */
const longestMessage = 4 * 2 ** 20;
/** A byte that says whether the message is compressed, and four with its length. */
const prefixLength = 5;

/** Serves gRPC on a unix socket, without encryption: who may use it is who may open the socket. Methods by their path. */
export async function serveGrpc(
  socket: string,
  methods: Readonly<Record<string, GrpcMethod>>,
  log: Logger,
): Promise<AsyncDisposable> {
  // A process that was killed leaves its socket behind.
  await rm(socket, { force: true });
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
    session.on("error", (error) => log.debug("a connection broke", { socket, error }));
  });
  server.on("stream", (stream, headers) => {
    stream.on("error", (error) => log.debug("a call broke", { socket, error }));
    void serveCall(stream, headers, methods);
  });
  server.listen(socket);
  await once(server, "listening");
  return {
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

async function serveCall(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  methods: Readonly<Record<string, GrpcMethod>>,
): Promise<void> {
  const gone = new AbortController();
  stream.once("close", () => gone.abort(new Error("the caller has gone")));
  try {
    const path = headers[":path"] ?? "";
    const method = Object.hasOwn(methods, path) ? methods[path] : undefined;
    if (!method) throw new GrpcError(grpcStatus.unimplemented, `method ${path} not found`);
    const answer = await method(await readMessage(stream), gone.signal);
    finish(stream, grpcStatus.ok, "", answer);
  } catch (error) {
    const status = error instanceof GrpcError ? error.status : grpcStatus.unknown;
    finish(stream, status, describeError(error));
  }
}

class GrpcError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

async function readMessage(stream: ServerHttp2Stream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Reading may end early, and the answer must still go out.
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    if (!Buffer.isBuffer(chunk)) continue;
    length += chunk.length;
    if (length > longestMessage) throw new GrpcError(grpcStatus.resourceExhausted, "the message is too long");
    chunks.push(chunk);
  }
  return readFramed(Buffer.concat(chunks));
}

/** The one message in the body of a call. */
function readFramed(body: Buffer): Buffer {
  if (body.length < prefixLength || body.readUInt32BE(1) !== body.length - prefixLength) {
    throw new GrpcError(grpcStatus.invalidArgument, `expected one message, got ${body.length} bytes`);
  }
  if (body[0] !== 0) throw new GrpcError(grpcStatus.unimplemented, "compressed messages are not supported");
  return body.subarray(prefixLength);
}

function finish(stream: ServerHttp2Stream, status: number, message: string, answer?: Buffer): void {
  if (stream.closed || stream.destroyed) return;
  const trailers = {
    "grpc-status": `${status}`,
    ...(message === "" ? {} : { "grpc-message": encodeURIComponent(message.slice(0, 1000).toWellFormed()) }),
  };
  const first = { ":status": 200, "content-type": "application/grpc" };
  if (!answer) {
    stream.respond({ ...first, ...trailers }, { endStream: true });
    stream.close();
    return;
  }
  stream.respond(first, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers(trailers));
  const prefix = Buffer.alloc(prefixLength);
  prefix.writeUInt32BE(answer.length, 1);
  stream.end(Buffer.concat([prefix, answer]));
}
