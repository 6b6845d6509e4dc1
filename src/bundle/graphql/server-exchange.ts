import { type Clock, describeError, InputError, type Secret } from "#base";

export interface ServerCall {
  readonly url: string;
  /** Sent as JSON by POST; without it the call is a GET. */
  readonly body?: unknown;
  readonly token: Secret | undefined;
  readonly clock: Clock;
  /** The longest silence of the server. */
  readonly timeoutMs: number;
}

export interface ServerReply {
  readonly status: number;
  readonly text: string;
}

/** Waits between the attempts. All calls are reads, so that each may be sent again. */
const waitsMs = [1_000, 2_000, 3_000, 4_000];
const busy = new Set([429, 500, 502, 503, 504]);

/** Calls a GraphQL server, again if it is not there or busy. Any other status is the caller's to judge. */
export async function callServer(call: ServerCall, signal: AbortSignal | undefined): Promise<ServerReply> {
  for (let attempt = 0; ; attempt++) {
    const outcome = await callOnce(call, signal);
    if (!(outcome instanceof Error) && !busy.has(outcome.status)) return judge(outcome, call.url);
    const waitMs = waitsMs[attempt];
    if (waitMs === undefined) throw failure(outcome, call.url);
    await call.clock.sleep(waitMs, signal);
  }
}

async function callOnce(
  { url, body, token, timeoutMs }: ServerCall,
  signal: AbortSignal | undefined,
): Promise<ServerReply | Error> {
  signal?.throwIfAborted();
  // Only who asks a server needs it.
  const { request } = await import("undici");
  try {
    const { statusCode, body: answer } = await request(url, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        accept: "application/json, text/plain",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(token === undefined ? {} : { authorization: authorization(token) }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      signal: signal ?? null,
    });
    return { status: statusCode, text: await answer.text() };
  } catch (error) {
    signal?.throwIfAborted();
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Some servers want another scheme than Bearer: a token that names one is sent as it is. */
function authorization(token: Secret): string {
  const text = token.reveal();
  return text.includes(" ") ? text : `Bearer ${text}`;
}

function judge(reply: ServerReply, url: string): ServerReply {
  if (reply.status !== 401 && reply.status !== 403) return reply;
  throw new InputError(`the server refuses us with ${reply.status}`, {
    where: url,
    next: "give its token, or the right one",
  });
}

function failure(outcome: ServerReply | Error, url: string): Error {
  if (outcome instanceof Error) return new Error(`${url}: no answer: ${describeError(outcome)}`, { cause: outcome });
  return new Error(`${url}: the server answers ${outcome.status}: ${outcome.text.slice(0, 200)}`);
}
