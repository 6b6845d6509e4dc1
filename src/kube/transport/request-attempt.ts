import manifest from "#manifest" with { type: "json" };
import type { Clock, Semaphore } from "#base";
import type { ClusterAccess, Credential } from "../access/cluster-access.ts";
import type { Agents } from "./agents.ts";
import { ApiError } from "./api-error.ts";
import { connectionFailure } from "./connection-failure.ts";
import { isStatus, readApiError } from "./read-status.ts";
import { requestHeaders } from "./request-headers.ts";
import { describeRequest, type Identity, type KubeRequest, type KubeResponse, pathWithQuery } from "./request.ts";
import { RequestFailure, sendRequest, type WireRequest } from "./send-request.ts";
import { openStream } from "./stream.ts";
import type { TransportMetrics } from "./transport-metrics.ts";

/** Shared by all calls of one cluster. */
export interface TransportContext {
  readonly access: ClusterAccess;
  readonly agents: Agents;
  readonly slots: Semaphore;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly metrics: TransportMetrics;
  readonly random: () => number;
}

/** One attempt of one request. */
export interface RequestAttempt {
  readonly request: KubeRequest;
  readonly identity: Identity | undefined;
  /** Gets the credential to present to the server. */
  present(): Promise<Credential>;
}

export function callOnce(
  context: TransportContext,
  attempt: RequestAttempt,
  signal?: AbortSignal,
): Promise<KubeResponse> {
  const { access, agents, slots, clock, metrics } = context;
  const { request } = attempt;
  const [method, host] = [request.method, access.server.host];
  const queued = clock.monotonic();
  return slots.run(async () => {
    metrics.waited({ method, host, seconds: (clock.monotonic() - queued) / 1000 });
    const credential = await attempt.present();
    const dispatcher = agents.calls(credential.clientCertificate);
    const acceptsGzip = access.isCompressionDisabled !== true;
    return measured(context, request, async () => {
      const answer = await sendRequest(
        dispatcher,
        wireRequest(access, attempt, credential, acceptsGzip),
        context,
        signal,
      );
      if (isSuccess(answer) || isPassedOn(answer, request)) return answer;
      throw readApiError(answer, request, access.context);
    });
  }, signal);
}

export async function openOnce(
  context: TransportContext,
  attempt: RequestAttempt,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const { access, agents } = context;
  const credential = await attempt.present();
  const dispatcher = agents.streams(credential.clientCertificate);
  const stream = await measured(context, attempt.request, async () => {
    const opened = await openStream(dispatcher, wireRequest(access, attempt, credential, false), context, signal);
    if (opened.failure === undefined) return opened;
    throw readApiError({ ...opened, body: opened.failure }, attempt.request, access.context);
  });
  return stream.chunks;
}

/** Adds to the error of a broken stream which request it was. */
export async function* explainStream(
  access: ClusterAccess,
  request: KubeRequest,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    throw explained(error, access, request);
  }
}

/** Counts and times one attempt, and names the request if it fails. */
async function measured<Answer extends { readonly status: number }>(
  { access, clock, metrics }: TransportContext,
  request: KubeRequest,
  attempt: () => Promise<Answer>,
): Promise<Answer> {
  const started = clock.monotonic();
  let code = "<error>";
  try {
    const answer = await attempt();
    code = String(answer.status);
    return answer;
  } catch (error) {
    if (error instanceof ApiError) code = String(error.status);
    throw explained(error, access, request);
  } finally {
    const seconds = (clock.monotonic() - started) / 1000;
    metrics.answered({ method: request.method, host: access.server.host, code, seconds });
  }
}

function explained(error: unknown, access: ClusterAccess, request: KubeRequest): unknown {
  if (!(error instanceof RequestFailure)) return error;
  return connectionFailure(error.cause, access, { asked: describeRequest(request), wasSent: error.wasSent });
}

/**
 * The API server compresses answers of 128 KiB or more, none of a watch. On loopback that costs time: 3,000 objects, 3.3 MB,
 * took 56 ms instead of 49 (medians of 40, in turns). But a fourteenth of the bytes travels, so it pays below 3 Gbit/s.
 */
function wireRequest(
  access: ClusterAccess,
  { request, identity }: RequestAttempt,
  credential: Credential,
  acceptsGzip: boolean,
): WireRequest {
  const { server } = access;
  return {
    origin: server.origin,
    method: request.method,
    path: `${server.pathname.replace(/(?<!\/)\/+$/, "")}${checkedPath(request)}`,
    headers: requestHeaders({ request, credential, identity, userAgent, acceptsGzip }),
    body: encodeBody(request.body),
  };
}

function encodeBody(body: unknown): string | Uint8Array | null {
  if (body === undefined) return null;
  return body instanceof Uint8Array ? body : JSON.stringify(body);
}

/** Not for a 401 of the API server itself, which makes the transport renew its credentials. */
function isPassedOn(answer: KubeResponse, { passesFailures = false }: KubeRequest): boolean {
  return passesFailures && !(answer.status === 401 && isStatus(answer.body));
}

function isSuccess({ status }: { readonly status: number }): boolean {
  return status >= 200 && status <= 299;
}

/** An unencoded name with a slash or of dots only would address something else. */
function checkedPath(request: KubeRequest): string {
  const isPlain = /^\/[\x21-\x7e]*$/.test(request.path) && !/[?#]|\/\.{0,2}(?=\/)|\/\.{1,2}$/.test(request.path);
  if (!isPlain) throw new TypeError(`${JSON.stringify(request.path)} is not a path of encoded segments`);
  return pathWithQuery(request);
}

/** Shown in the server's logs. The manifest is imported, not read from disk, so that the bundle contains it. */
const userAgent = `tenon/${manifest.version}`;
