import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Dispatcher } from "undici";
import type { Clock } from "#base";

/** A request as it is sent. */
export interface WireRequest {
  readonly origin: string;
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  readonly headers: Record<string, string | string[]>;
  readonly body: string | Uint8Array | null;
}

export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** There is no complete answer: the cause, and whether the server may have seen the request. */
export class RequestFailure extends Error {
  readonly wasSent: boolean;

  constructor(cause: unknown, wasSent: boolean) {
    super("no answer", { cause });
    this.wasSent = wasSent;
  }
}

/** The answer took too long. */
export class TimeLimitError extends Error {
  readonly limitMs: number;

  constructor(limitMs: number) {
    super(`no complete answer within ${limitMs / 1000} s`);
    this.limitMs = limitMs;
  }
}

/** More than any page of a list; Node's strings end at 512 MiB. */
const largestAnswer = 256 * 2 ** 20;

/** The answer is too large. */
export class SizeLimitError extends Error {
  constructor() {
    super(`the answer has more than ${largestAnswer / 2 ** 20} MiB`);
  }
}

export interface RequestLimits {
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/**
 * Sends one request once and reads the whole answer.
 * Uses undici's `dispatch` and not `request`: only `dispatch` tells whether anything was sent before the connection broke.
 */
export async function sendRequest(
  dispatcher: Dispatcher,
  request: WireRequest,
  { clock, timeoutMs }: RequestLimits,
  signal?: AbortSignal,
): Promise<WireResponse> {
  const answer = await receive(dispatcher, request, { clock, timeoutMs }, signal);
  const isCompressed = answer.headers["content-encoding"] === "gzip";
  const bytes = isCompressed ? await unzip(answer.body) : answer.body;
  return { ...answer, body: bytes.toString() };
}

interface RawAnswer extends Omit<WireResponse, "body"> {
  readonly body: Buffer;
}

function receive(
  dispatcher: Dispatcher,
  request: WireRequest,
  { clock, timeoutMs }: RequestLimits,
  signal: AbortSignal | undefined,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let head: Omit<WireResponse, "body"> = { status: 0, headers: {} };
    let isOver = false;
    let size = 0;
    const chunks: Buffer[] = [];

    const timer = clock.after(timeoutMs, () => giveUp(new RequestFailure(new TimeLimitError(timeoutMs), wasSent())));
    const onAbort = () => giveUp(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });

    const wasSent = () => controller !== undefined;

    function settle(): boolean {
      if (isOver) return false;
      isOver = true;
      timer[Symbol.dispose]();
      signal?.removeEventListener("abort", onAbort);
      return true;
    }

    function giveUp(reason: unknown): void {
      if (!settle()) return;
      reject(reason);
      controller?.abort(new Error("given up"));
    }

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        if (isOver) started.abort(new Error("given up before it was sent"));
        else controller = started;
      },
      onResponseStart(_controller, status, headers) {
        head = { status, headers: flattenHeaders(headers) };
      },
      onResponseData(_controller, chunk) {
        size += chunk.length;
        if (size > largestAnswer) giveUp(new RequestFailure(new SizeLimitError(), true));
        else chunks.push(chunk);
      },
      onResponseEnd() {
        if (settle()) resolve({ ...head, body: Buffer.concat(chunks, size) });
      },
      onResponseError(_controller, error) {
        if (settle()) reject(new RequestFailure(error, wasSent()));
      },
    };
    try {
      dispatcher.dispatch(request, handler);
    } catch (error) {
      if (settle()) reject(new RequestFailure(error, false));
    }
  });
}

const inflate = promisify(gunzip);
/** Lists of workloads are 13 to 15 times as large as they travel. */
const usualRatio = 16;
const smallestPiece = 64 * 2 ** 10;
const largestPiece = 8 * 2 ** 20;

async function unzip(body: Buffer): Promise<Buffer> {
  try {
    // In one piece, mostly: each piece is a trip to another thread.
    const chunkSize = Math.min(Math.max(body.length * usualRatio, smallestPiece), largestPiece);
    return await inflate(body, { maxOutputLength: largestAnswer, chunkSize });
  } catch (cause) {
    const isTooLarge = cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE";
    throw new RequestFailure(isTooLarge ? new SizeLimitError() : cause, true);
  }
}

/** Joins the values of a header that occurs several times with commas. */
export function flattenHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) flat[name] = String(value);
  return flat;
}
