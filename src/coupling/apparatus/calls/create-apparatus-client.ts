import { type Clock, isRecord, type JsonObject, LeastRecentlyUsed, type Logger, type Metrics } from "#base";
import type { KubeClient, Reflector } from "#kube";
import { apparatusMetrics } from "../../coupling-metrics.ts";
import type { Stage } from "../../kinds/names.ts";
import type { Plug } from "../../kinds/plug.ts";
import type { Socket } from "../../kinds/socket.ts";
import { ReadyPods } from "../pods/ready-pods.ts";
import { type Address, serviceHost } from "../transport/address.ts";
import { NoAnswerError, type Send } from "../transport/apparatus-request.ts";
import type { ApparatusSettings } from "../transport/apparatus-settings.ts";
import { ApparatusTransport, atOnce } from "../transport/apparatus-transport.ts";
import type { OwnService } from "../transport/service-routes.ts";
import { toStageResult } from "./apparatus-answers.ts";
import type { ApparatusClient, ConfigCall } from "./apparatus-client.ts";
import { ApparatusLines } from "./apparatus-line.ts";
import { deliver, timeLimitsOf } from "./deliver.ts";
import { type CallProgress, InFlightCalls, type Work } from "./in-flight-calls.ts";
import { Refusals } from "./refusals.ts";
import { createTokenSource } from "./token-source.ts";

interface ApparatusClientOptions {
  readonly settings: ApparatusSettings;
  readonly client: KubeClient;
  /** Of apparatus pods, with the index `byOwner`. */
  readonly pods: Reflector;
  /** The newest known plug or socket of that kind and key; undefined if there is none, or it is not valid. */
  readonly ownerOf: (kind: string, key: string) => Plug | Socket | undefined;
  readonly mayWrite: () => boolean;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: Metrics | undefined;
}

const pingTimeoutMs = 5_000;
const keptAttempts = 10_000;

/** Calls apparatuses over HTTP, and runs the pods of those with containers. */
export function createApparatusClient(options: ApparatusClientOptions): ApparatusClient & Disposable {
  const { settings, client, ownerOf, mayWrite, clock, random, log } = options;
  const metrics = apparatusMetrics(options.metrics);
  const transport = new ApparatusTransport({ settings, client, clock });
  const pods = new ReadyPods({ client, pods: options.pods, ownerOf, ping, mayWrite, metrics, clock, log });
  const token = createTokenSource({ client, account: settings.tokenAccount, clock, log });
  const inFlight = new InFlightCalls(clock);
  const lines = new ApparatusLines(ownerOf, atOnce);
  const refusals = new Refusals(clock);
  const attempts = new LeastRecentlyUsed<string, { count: number }>(keptAttempts);

  async function ask(event: Stage | "config", call: ConfigCall, signal: AbortSignal): Promise<JsonObject | undefined> {
    const { side, object, id, waiter } = call;
    const at = object.spec.apparatus && transport.addressOf(object);
    if (!at) return undefined;
    const slot = `${side} ${event === "config" ? event : "stage"}`;
    const work: Work = (progress, ending) =>
      lines.run(call, event, () => reach(event, call, at, progress, ending), ending);
    return await refusals.run(slot, id, waiter, () => inFlight.run(slot, id, waiter, work, signal));
  }

  async function reach(
    event: Stage | "config",
    call: ConfigCall,
    at: Address,
    progress: CallProgress,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    if (at.kind === "own") return await reachOwn(event, call, at.prefix, progress, signal);
    const url = new URL(at.base);
    const send = await transport.toEndpoint(url, call.object);
    const route = { base: at.base, path: url.pathname.replace(/(?<!\/)\/+$/, ""), send };
    return await deliverTo(event, call, route, progress, signal);
  }

  async function reachOwn(
    event: Stage | "config",
    call: ConfigCall,
    prefix: string,
    progress: CallProgress,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const { object } = call;
    return await pods.use(
      object,
      async (pod) => {
        const { name, namespace } = pod.service;
        const route = transport.toService(pod.service);
        const send: Send = async (request, timeoutMs, ending) => {
          // A long call is sent many times.
          if (await pods.isCurrent(pod, object, ending)) return await route(request, timeoutMs, ending);
          throw new Error(`Service ${namespace}/${name} of the apparatus was deleted or changed during the call`);
        };
        const base = `http://${serviceHost(name, namespace, settings.clusterDomain)}${prefix}`;
        return await deliverTo(event, call, { base, path: prefix, send }, progress, signal);
      },
      progress,
      signal,
    );
  }

  async function deliverTo(
    event: Stage | "config",
    { object, body, id, waiter: { redact } }: ConfigCall,
    { base, path, send }: { readonly base: string; readonly path: string; readonly send: Send },
    progress: CallProgress,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const url = `${base}/${event}`;
    progress.waitsFor(`waiting for the apparatus to answer POST ${url}`);
    progress.sent();
    const limits = timeLimitsOf(object, log);
    const nextAttempt = (): number => (attempts.get(id, () => ({ count: 0 })).count += 1);
    const delivery = { event, url, path: `${path}/${event}`, body, id, redact, limits, send, nextAttempt };
    return await deliver(delivery, { clock, random, token, metrics }, signal);
  }

  async function ping(object: Plug | Socket, service: OwnService, signal: AbortSignal): Promise<boolean> {
    const at = transport.addressOf(object);
    const path = `${at?.kind === "own" ? at.prefix : ""}/ping`;
    const send = transport.toService(service);
    try {
      const { status } = await send({ method: "GET", path, headers: {} }, pingTimeoutMs, signal);
      return (status >= 200 && status < 300) || status === 404 || status === 405;
    } catch (error) {
      if (error instanceof NoAnswerError) return false;
      throw error;
    }
  }

  return {
    async call(call, signal) {
      const { result } = (await ask(call.stage, call, signal)) ?? {};
      return isRecord(result) ? toStageResult(result) : undefined;
    },
    config: (call, signal) => ask("config", call, signal),
    forget(uid) {
      inFlight.forget(uid);
      refusals.forget(uid);
      lines.forget(uid);
      pods.forget(uid);
    },
    [Symbol.dispose]() {
      pods[Symbol.dispose]();
      inFlight[Symbol.dispose]();
      transport[Symbol.dispose]();
    },
  };
}
