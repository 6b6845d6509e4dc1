import type { Dispatcher } from "undici";
import send from "undici/lib/api/api-request.js";
import { ExchangeFailure, type ExchangeLimits, flatten, TimeLimitError, type WireRequest } from "./exchange.ts";

export interface OpenStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Errors of the connection come as `ExchangeFailure`, an abort as the signal's reason. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The whole of it, when the status is not 2xx. */
  readonly failure: string | undefined;
}

/** Sends one request once; resolves with the head of the answer. Only the head, or a failure, has a time limit. */
export async function openStream(
  dispatcher: Dispatcher,
  request: WireRequest,
  { clock, timeoutMs }: ExchangeLimits,
  signal: AbortSignal,
): Promise<OpenStream> {
  signal.throwIfAborted();
  // A controller of our own: undici keeps its listener on the signal for the stream's life, and the caller's may outlive many.
  const ending = new AbortController();
  const end = () => ending.abort(signal.reason);
  signal.addEventListener("abort", end, { once: true });
  const unlink = () => signal.removeEventListener("abort", end);
  using _limit = clock.after(timeoutMs, () => ending.abort(new TimeLimitError(timeoutMs)));
  try {
    // Not `dispatcher.request`: dispatchers have that method only where all of undici was imported.
    const { statusCode, headers, body } = await send.call(dispatcher, { ...request, signal: ending.signal });
    body.on("error", () => {}).once("close", unlink);
    return {
      status: statusCode,
      headers: flatten(headers),
      chunks: chunksOf(body, signal),
      failure: statusCode >= 200 && statusCode <= 299 ? undefined : await body.text(),
    };
  } catch (cause) {
    unlink();
    signal.throwIfAborted();
    throw new ExchangeFailure(cause, true);
  }
}

async function* chunksOf(body: Dispatcher.ResponseData["body"], signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    signal.throwIfAborted();
    throw new ExchangeFailure(cause, true);
  } finally {
    body.destroy();
  }
}
