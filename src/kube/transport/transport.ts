import { type Clock, type Metrics, Semaphore, systemClock } from "#base";
import { openAgents } from "./agents.ts";
import { callOnce, explainStream, openOnce, type TransportContext } from "./request-attempt.ts";
import type { ClusterAccess } from "../access/cluster-access.ts";
import { withRetries } from "./with-retries.ts";
import type { Identity, KubeRequest, KubeResponse } from "./request.ts";
import { transportMetrics } from "./transport-metrics.ts";

export type { Identity, KubeRequest, KubeResponse } from "./request.ts";

/** Sends calls to one cluster's API, as one identity. */
export interface Transport extends AsyncDisposable {
  /** The context's name, for messages. */
  readonly cluster: string;
  /** Resolves for 2xx; ApiError for other statuses; ConnectionError when there was no complete answer. */
  send(request: KubeRequest, signal?: AbortSignal): Promise<KubeResponse>;
  /**
   * Opens a stream (watch, log) on a separate connection, outside the concurrency limit.
   * ApiError before the first byte; aborting the signal or leaving the loop closes the connection.
   */
  open(request: KubeRequest, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** The same cluster as another identity. Shares connections and limits; disposing of it does nothing. */
  impersonate(identity: Identity): Transport;
}

export interface TransportOptions {
  /** How many calls may run at once; default 32. */
  readonly concurrency?: number;
  /** The timeout of one attempt, without the wait for a free slot; for a stream, until it begins. Default 60 s. */
  readonly timeoutMs?: number;
  /** Default 10 s. */
  readonly connectTimeoutMs?: number;
  readonly metrics?: Metrics;
  readonly clock?: Clock;
  /** Between 0 and 1, for jitter. */
  readonly random?: () => number;
}

/** Connects when the first call is made, not before. */
export function connect(access: ClusterAccess, options: TransportOptions = {}): Transport {
  const { concurrency = 32, connectTimeoutMs = 10_000, timeoutMs = 60_000, clock = systemClock } = options;
  const agents = openAgents(access, { connections: concurrency, connectTimeoutMs });
  const context = {
    access,
    agents,
    slots: new Semaphore(concurrency),
    clock,
    timeoutMs,
    metrics: transportMetrics(options.metrics),
    random: options.random ?? Math.random,
  };
  return transportAs(access.impersonation, context, async () => agents[Symbol.asyncDispose]());
}

function transportAs(
  identity: Identity | undefined,
  context: TransportContext,
  dispose: () => Promise<void>,
): Transport {
  return {
    cluster: context.access.context,
    send: (request, signal) =>
      withRetries(context, request, (present) => callOnce(context, { request, identity, present }, signal), signal),
    async open(request, signal) {
      const attempt = { request, identity };
      const chunks = await withRetries(
        context,
        request,
        (present) => openOnce(context, { ...attempt, present }, signal),
        signal,
      );
      return explainStream(context.access, request, chunks);
    },
    impersonate: (other) => transportAs(other, context, async () => {}),
    [Symbol.asyncDispose]: dispose,
  };
}
