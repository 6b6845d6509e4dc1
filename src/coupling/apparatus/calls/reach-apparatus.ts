import { type Clock, type JsonObject, LeastRecentlyUsed, type Logger } from "#base";
import type { KubeClient } from "#kube";
import type { Plug, Socket, Stage } from "../../kinds/index.ts";
import type { ReadyPods } from "../pods/ready-pods.ts";
import { type Address, serviceHost } from "../transport/address.ts";
import { NoAnswerError, type Send } from "../transport/apparatus-request.ts";
import type { ApparatusSettings } from "../transport/apparatus-settings.ts";
import type { ApparatusTransport } from "../transport/apparatus-transport.ts";
import type { OwnService } from "../transport/service-routes.ts";
import type { ConfigCall } from "./apparatus-client.ts";
import { deliver, timeLimitsOf } from "./deliver.ts";
import type { CallProgress } from "./in-flight-calls.ts";
import { createTokenSource } from "./token-source.ts";

/** What an apparatus is called for. */
export type CallEvent = Stage | "config";

interface ReachOptions extends Omit<Parameters<typeof deliver>[1], "token"> {
  readonly settings: Pick<ApparatusSettings, "clusterDomain" | "tokenAccount">;
  readonly client: KubeClient;
  readonly transport: ApparatusTransport;
  readonly pods: ReadyPods;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Delivers a call to the address of an apparatus, whose pod is started first if it has one. */
export type Reach = (
  event: CallEvent,
  call: ConfigCall,
  at: Address,
  progress: CallProgress,
  signal: AbortSignal,
) => Promise<JsonObject>;

const pingTimeoutMs = 5_000;
const keptAttempts = 10_000;

export function createReach({ settings, client, transport, pods, log, ...sending }: ReachOptions): Reach {
  const { clusterDomain, tokenAccount } = settings;
  const delivery = {
    ...sending,
    token: createTokenSource({ client, account: tokenAccount, clock: sending.clock, log }),
  };
  const attempts = new LeastRecentlyUsed<string, { count: number }>(keptAttempts);

  async function reach(
    event: CallEvent,
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
    event: CallEvent,
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
        const base = `http://${serviceHost(name, namespace, clusterDomain)}${prefix}`;
        return await deliverTo(event, call, { base, path: prefix, send }, progress, signal);
      },
      progress,
      signal,
    );
  }

  async function deliverTo(
    event: CallEvent,
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
    const request = { event, url, path: `${path}/${event}`, body, id, redact, limits, send, nextAttempt };
    return await deliver(request, delivery, signal);
  }

  return reach;
}

/** Whether an apparatus answers. One that does not know `/ping` answers, too. */
export async function pingApparatus(
  object: Plug | Socket,
  service: OwnService,
  transport: ApparatusTransport,
  signal: AbortSignal,
): Promise<boolean> {
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
