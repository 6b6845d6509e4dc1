import { connect } from "node:net";
import type { Dispatcher } from "undici";
import type { Clock } from "#base";
import { ApiError, callService, ConnectionError, type KubeClient } from "#kube";
import { serviceHost } from "./address.ts";
import {
  type ApparatusAnswer,
  type ApparatusRequest,
  requestApparatus,
  largestAnswer,
  NoAnswerError,
  tooLarge,
} from "./apparatus-request.ts";

/** The Service of an own pod. */
export interface OwnService {
  readonly namespace: string;
  readonly name: string;
  readonly clusterIP: string;
}

interface ServiceRoutesOptions {
  readonly isInCluster: boolean;
  readonly clusterDomain: string;
  /** Refuses forbidden addresses. */
  readonly guarded: Dispatcher;
  /** Its calls go through the API server; with connections of its own, because apparatuses may be slow. */
  readonly proxyClient: KubeClient;
  readonly clock: Clock;
  /** Whether a connection succeeds. */
  readonly canConnect?: (host: string, port: number) => Promise<boolean>;
}

const port = 80;
/** Our Services do not use this port: if it answers, a transparent proxy answers for every address. */
const otherPort = 443;
/** How long cluster IPs count as not routable; the machine may join the network later. */
const memoryMs = 5 * 60_000;

/**
 * How to reach the Service of an own pod: by its cluster IP in a cluster, or if that is routable; else through the API server,
 * which consumes `Authorization`. Its DNS name is not used: the owner could make it point to another host.
 */
export class ServiceRoutes {
  readonly #options: ServiceRoutesOptions;
  #known: { readonly isRoutable: boolean; readonly until: number } | undefined;

  constructor(options: ServiceRoutesOptions) {
    this.#options = options;
  }

  async send(
    service: OwnService,
    request: ApparatusRequest,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<ApparatusAnswer> {
    const { isInCluster, clusterDomain, guarded, clock } = this.#options;
    const { namespace, name, clusterIP } = service;
    const host = serviceHost(name, namespace, clusterDomain);
    const limits = { clock, timeoutMs };
    if (isInCluster || (await this.#isRoutable(clusterIP))) {
      const origin = `http://${clusterIP.includes(":") ? `[${clusterIP}]` : clusterIP}`;
      return requestApparatus(guarded, origin, { ...request, headers: { ...request.headers, host } }, limits, signal);
    }
    const answer = await this.#sendThroughApiServer(service, request, timeoutMs, signal);
    this.#known ??= { isRoutable: false, until: clock.monotonic() + memoryMs };
    return answer;
  }

  async #isRoutable(clusterIP: string): Promise<boolean> {
    const { clock, canConnect = connectsTo } = this.#options;
    if (this.#known && clock.monotonic() < this.#known.until) return this.#known.isRoutable;
    this.#known = undefined;
    const [isServed, isAnybody] = await Promise.all([canConnect(clusterIP, port), canConnect(clusterIP, otherPort)]);
    const isRoutable = isServed && !isAnybody;
    // A refused connection proves nothing: there may be no pod yet.
    if (isRoutable) this.#known = { isRoutable, until: Number.POSITIVE_INFINITY };
    return isRoutable;
  }

  async #sendThroughApiServer(
    { namespace, name }: OwnService,
    { method, path, headers, body }: ApparatusRequest,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<ApparatusAnswer> {
    const { proxyClient, clock } = this.#options;
    const { authorization, ...others } = headers;
    const ending = new AbortController();
    const late = new NoAnswerError(`no answer within ${timeoutMs / 1000} s`, true);
    using _ = clock.after(timeoutMs, () => ending.abort(late));
    try {
      const answer = await callService(
        proxyClient,
        {
          namespace,
          service: name,
          scheme: "http",
          port: "http",
          method,
          path: path === "" ? "/" : decodeURIComponent(path),
          headers: {
            ...others,
            ...(authorization === undefined ? {} : { "x-integration-authorization": authorization }),
          },
          body,
        },
        AbortSignal.any([signal, ending.signal]),
      );
      if (Buffer.byteLength(answer.body) > largestAnswer) throw tooLarge();
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      if (ending.signal.aborted) throw late;
      if (error instanceof ApiError && !error.isForbidden) {
        throw new NoAnswerError(`the API server cannot reach the pod (${error.status})`, false, error);
      }
      if (error instanceof ConnectionError) throw new NoAnswerError("the API server does not answer", false, error);
      throw error;
    }
  }
}

const patienceMs = 500;

function connectsTo(host: string, to: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port: to });
    const end = (isRoutable: boolean) => (): void => {
      socket.destroy();
      resolve(isRoutable);
    };
    socket.setTimeout(patienceMs, end(false));
    socket.once("connect", end(true));
    socket.once("error", end(false));
  });
}
