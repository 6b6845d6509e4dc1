import { ApiError } from "../transport/api-error.ts";
import type { Discovery } from "./discovery.ts";
import { isKubeObject, type KubeObject } from "./object.ts";
import { describeRequest, type KubeRequest } from "../transport/request.ts";
import { readWarnings } from "./server-warnings.ts";
import type { Transport } from "../transport/transport.ts";

/** A warning of the API server about a call that it carried out. */
export interface ServerWarning {
  readonly text: string;
  readonly cluster: string;
  /** Like `POST /api/v1/namespaces/shop/configmaps`. */
  readonly request: string;
}

/** What the verbs of a client have in common. */
export interface ClientContext {
  readonly transport: Transport;
  readonly discovery: Discovery;
  readonly onWarning: ((warning: ServerWarning) => void) | undefined;
}

/** Sends a call and parses the JSON of its answer. */
export async function sendJson(context: ClientContext, request: KubeRequest, signal?: AbortSignal): Promise<unknown> {
  return parseAnswer(await sendForText(context, request, signal), request, context.transport.cluster);
}

/** Sends a call and returns its answer unparsed. */
export async function sendForText(context: ClientContext, request: KubeRequest, signal?: AbortSignal): Promise<string> {
  const { transport, onWarning } = context;
  const { headers, body } = await noticingUnknownPaths(context, () => transport.send(request, signal));
  for (const text of onWarning ? readWarnings(headers["warning"]) : []) {
    onWarning?.({ text, cluster: transport.cluster, request: describeRequest({ ...request, query: {} }) });
  }
  return body;
}

/** Without V8's error as cause: it quotes the text, which may be a Secret. */
export function parseAnswer(body: string, request: KubeRequest, cluster: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Error(`${describeRequest(request)} on ${cluster}: the answer is not JSON`);
  }
}

export async function sendForObject(
  context: ClientContext,
  request: KubeRequest,
  signal?: AbortSignal,
): Promise<KubeObject> {
  const answer = await sendJson(context, request, signal);
  if (isKubeObject(answer)) return answer;
  throw new Error(`${describeRequest(request)} on ${context.transport.cluster}: the answer is not a Kubernetes object`);
}

/** A 404 that names no object is about the path: the kind no longer exists, or its scope has changed. */
export async function noticingUnknownPaths<Result>(
  context: ClientContext,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ApiError && error.isNotFound && error.details?.name === undefined)
      context.discovery.distrust();
    throw error;
  }
}

/** Whether the error says that an object is absent, rather than that its kind is. */
export function isAbsent(error: unknown): boolean {
  return error instanceof ApiError && error.isNotFound && error.details?.name !== undefined;
}
