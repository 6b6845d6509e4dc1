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
 * A running qontract-server or `tenon data serve`, by the address of its `/graphql`. Each load selects the newest bundle,
 * and all queries go to that one, until it expires on the server.
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
    if (status !== 200 || !/^[\w.:-]{1,256}$/.test(identity)) throw notADataServer(`${base}/sha256`, status);
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

/** Not every server has a commit. */
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
  if (status === 404) throw new Error(`${url}: bundle expired on the server; load the newest one`);
  throw notADataServer(url, status);
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function notADataServer(url: string, status: number): InputError {
  return new InputError(`expected a GraphQL server of data files, got status ${status}`, {
    where: url,
    next: "use the address of a qontract-server or `tenon data serve`, like http://localhost:4000/graphql",
  });
}

interface ServerCall {
  readonly url: string;
  /** Sent as JSON by POST; without it the call is a GET. */
  readonly body?: unknown;
  readonly token: Secret | undefined;
  readonly clock: Clock;
  /** The longest time without data from the server. */
  readonly timeoutMs: number;
}

interface ServerReply {
  readonly status: number;
  readonly text: string;
}

/** Delays between attempts. All calls are reads, so they can be repeated. */
const retryDelaysMs = [1_000, 2_000, 3_000, 4_000];
const retryable = new Set([429, 500, 502, 503, 504]);

/** Calls a GraphQL server, and retries while it is unreachable or busy. */
async function callServer(call: ServerCall, signal: AbortSignal | undefined): Promise<ServerReply> {
  for (let attempt = 0; ; attempt++) {
    const outcome = await callOnce(call, signal);
    if (!(outcome instanceof Error) && !retryable.has(outcome.status)) return requireAuthorized(outcome, call.url);
    const waitMs = retryDelaysMs[attempt];
    if (waitMs === undefined) throw failure(outcome, call.url);
    await call.clock.sleep(waitMs, signal);
  }
}

async function callOnce(
  { url, body, token, timeoutMs }: ServerCall,
  signal: AbortSignal | undefined,
): Promise<ServerReply | Error> {
  signal?.throwIfAborted();
  // Loaded on first use: most sources need no HTTP.
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

/** A token that contains a scheme is sent as is, for servers that expect another scheme than Bearer. */
function authorization(token: Secret): string {
  const text = token.reveal();
  return text.includes(" ") ? text : `Bearer ${text}`;
}

function requireAuthorized(reply: ServerReply, url: string): ServerReply {
  if (reply.status !== 401 && reply.status !== 403) return reply;
  throw new InputError(`the server answered ${reply.status}`, {
    where: url,
    next: "check the token",
  });
}

function failure(outcome: ServerReply | Error, url: string): Error {
  if (outcome instanceof Error)
    return new Error(`${url}: no answer from the server: ${describeError(outcome)}`, { cause: outcome });
  return new Error(`${url}: the server answered ${outcome.status}: ${outcome.text.slice(0, 200)}`);
}
