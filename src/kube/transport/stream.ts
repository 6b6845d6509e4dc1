import type { Dispatcher } from "undici";
import {
  flattenHeaders,
  RequestFailure,
  type RequestLimits,
  TimeLimitError,
  type WireRequest,
} from "./send-request.ts";
import { httpRequest } from "./undici.ts";

export interface OpenStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Errors of the connection come as `ExchangeFailure`, an abort as the signal's reason. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The whole body, when the status is not 2xx. */
  readonly failure: string | undefined;
}

/** Sends one request once; resolves with the head of the answer. Only the head, or a failure, has a time limit. */
export async function openStream(
  dispatcher: Dispatcher,
  request: WireRequest,
  { clock, timeoutMs }: RequestLimits,
  signal: AbortSignal,
): Promise<OpenStream> {
  signal.throwIfAborted();
  // A separate controller: undici keeps its listener on the signal for the life of the stream, and the caller's signal may
  // outlive many streams.
  const ending = new AbortController();
  const end = () => ending.abort(signal.reason);
  signal.addEventListener("abort", end, { once: true });
  const unlink = () => signal.removeEventListener("abort", end);
  using _limit = clock.after(timeoutMs, () => ending.abort(new TimeLimitError(timeoutMs)));
  try {
    const { statusCode, headers, body } = await httpRequest.call(dispatcher, { ...request, signal: ending.signal });
    body.on("error", () => {}).once("close", unlink);
    return {
      status: statusCode,
      headers: flattenHeaders(headers),
      chunks: chunksOf(body, signal),
      failure: statusCode >= 200 && statusCode <= 299 ? undefined : await body.text(),
    };
  } catch (cause) {
    unlink();
    signal.throwIfAborted();
    throw new RequestFailure(cause, true);
  }
}

async function* chunksOf(body: Dispatcher.ResponseData["body"], signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    signal.throwIfAborted();
    throw new RequestFailure(cause, true);
  } finally {
    body.destroy();
  }
}
