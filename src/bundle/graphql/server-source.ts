import { type Clock, InputError, isJsonObject, type JsonObject, type JsonValue, type Secret, systemClock } from "#base";
import type { Queryable, QueryAnswer } from "../bundle.ts";
import { callServer, type ServerReply } from "./server-exchange.ts";

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
