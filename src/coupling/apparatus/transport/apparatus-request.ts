import type { Dispatcher } from "undici";
import type { Clock } from "#base";
import { ApiError, httpRequest } from "#kube";
import { EgressError } from "./egress.ts";

/** One request to an apparatus, wherever it is. */
export interface ApparatusRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ApparatusAnswer {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a request to the apparatus by the route that reaches it. */
export type Send = (request: ApparatusRequest, timeoutMs: number, signal: AbortSignal) => Promise<ApparatusAnswer>;

/** There was no answer. `isTimeout`: there was a connection, but no complete answer in time. */
export class NoAnswerError extends Error {
  readonly isTimeout: boolean;

  constructor(what: string, isTimeout: boolean, cause?: unknown) {
    super(what, cause === undefined ? {} : { cause });
    this.isTimeout = isTimeout;
  }

  override get name(): string {
    return "NoAnswerError";
  }
}

/** The largest answers are configs. */
export const largestAnswer = 2 ** 20;

interface ExchangeOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** Sends one request once and reads the whole answer, whatever its status. Redirects are not followed. */
export async function requestApparatus(
  dispatcher: Dispatcher,
  origin: string,
  { method, path, headers, body = "" }: ApparatusRequest,
  { clock, timeoutMs }: ExchangeOptions,
  signal: AbortSignal,
): Promise<ApparatusAnswer> {
  const ending = new AbortController();
  const late = new NoAnswerError(`no answer within ${timeoutMs / 1000} s`, true);
  using _ = clock.after(timeoutMs, () => ending.abort(late));
  const either = AbortSignal.any([signal, ending.signal]);
  try {
    const options = { origin, path, method, headers: { ...headers }, signal: either };
    const answer = await httpRequest.call(dispatcher, method === "POST" ? { ...options, body } : options);
    return { status: answer.statusCode, headers: flatten(answer.headers), body: await read(answer.body) };
  } catch (error) {
    signal.throwIfAborted();
    if (ending.signal.aborted) throw late;
    // These already say why the host cannot be called.
    if (error instanceof EgressError || error instanceof NoAnswerError || error instanceof ApiError) throw error;
    throw new NoAnswerError(describeFailure(error), false, error);
  }
}

/** An answer over the limit counts as no answer. */
export function tooLarge(): NoAnswerError {
  return new NoAnswerError(`the answer is larger than ${largestAnswer / 2 ** 20} MiB`, true);
}

async function read(stream: AsyncIterable<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > largestAnswer) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString();
}

function flatten(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

const failures: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was closed",
  UND_ERR_SOCKET: "the connection was closed",
  UND_ERR_CONNECT_TIMEOUT: "no connection within 5 s",
  ENOTFOUND: "host not found",
  EAI_AGAIN: "the name cannot be resolved at the moment",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the host cannot be reached",
};

/** Without the addresses that the system's own message contains. */
function describeFailure(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return failures[code] ?? (code === "" ? "the call failed" : `the call failed (${code})`);
}
