import {
  type Clock,
  describeError,
  InputError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Secret,
  systemClock,
} from "#base";
import type { Queryable, QueryAnswer } from "../bundle.ts";

export interface ServerSourceOptions {
  /** Sent as `Authorization`. */
  readonly token?: Secret;
  readonly clock?: Clock;
}

const smallTimeoutMs = 60_000;
const queryTimeoutMs = 30_000;

/**
 * A running GraphQL server of qontract's protocol, ours or theirs, by the address of its `/graphql`. Each load gives
 * the bundle that is the newest then, and stays with it; after some time the server may have forgotten it.
 */
export function openServerSource(
  address: string,
  { token, clock = systemClock }: ServerSourceOptions = {},
): { readonly description: string; load(signal: AbortSignal): Promise<Queryable> } {
  const base = address.replace(/\/(graphql(sha\/[^/]*)?)?\/*$/, "");
  const get = (path: string, signal: AbortSignal): Promise<ServerReply> =>
    callServer({ url: `${base}${path}`, token, clock, timeoutMs: smallTimeoutMs }, signal);

  async function load(signal: AbortSignal): Promise<Queryable> {
    const { status, text } = await get("/sha256", signal);
    const identity = text.trim();
    if (status !== 200 || !/^[\w.:-]{1,256}$/.test(identity)) throw noServer(`${base}/sha256`, status);
    const url = `${base}/graphqlsha/${identity}`;
    return {
      identity,
      ...readCommit(await get(`/git-commit-info/${identity}`, signal)),
      async query(query, variables, until) {
        const body = { query, variables };
        return readAnswer(await callServer({ url, body, token, clock, timeoutMs: queryTimeoutMs }, until), url);
      },
    };
  }

  return { description: `the GraphQL server ${base}`, load };
}

/** Not every server knows of git. */
function readCommit({ status, text }: ServerReply): Pick<Queryable, "gitCommit" | "gitCommitTimestamp"> {
  const { commit, timestamp } = (status === 200 && parseObject(text)) || {};
  return {
    ...(typeof commit === "string" && commit !== "" ? { gitCommit: commit } : {}),
    ...(typeof timestamp === "string" && timestamp !== "" ? { gitCommitTimestamp: timestamp } : {}),
  };
}

function readAnswer({ status, text }: ServerReply, url: string): QueryAnswer {
  const answer = parseObject(text);
  if (answer !== undefined && ("data" in answer || "errors" in answer)) return answer;
  if (status === 404) throw new Error(`${url}: the server no longer has this bundle; load the newest one`);
  throw noServer(url, status);
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function noServer(url: string, status: number): InputError {
  return new InputError(`answers ${status}, and not as a GraphQL server of data files does`, {
    where: url,
    next: "give the address of a qontract-server or of `tenon data serve`, like http://localhost:4000/graphql",
  });
}

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
