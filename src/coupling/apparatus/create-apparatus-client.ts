import type { Dispatcher } from "undici";
import { type Clock, isRecord, type JsonObject, LeastRecentlyUsed, type Logger, type Metrics, Semaphore } from "#base";
import { HttpAgent, keyOf, type KubeClient, type Reflector, type StoreChange } from "#kube";
import { apparatusMetrics } from "../coupling-metrics.ts";
import { apparatusLabels, type Side, type Stage } from "../kinds/names.ts";
import { describeObject, namespaceOf } from "../kinds/pair.ts";
import type { Plug } from "../kinds/plug.ts";
import type { Socket } from "../kinds/socket.ts";
import { type Address, addressOf, serviceHost } from "./address.ts";
import { toStageResult } from "./apparatus-answers.ts";
import type { ApparatusClient, ConfigCall } from "./apparatus-client.ts";
import { NoAnswerError, requestApparatus } from "./apparatus-request.ts";
import { deliver, type Send, timeLimitsOf } from "./deliver.ts";
import { apiServerAddresses, checkUrl, guardedLookup, type Resolve, resolveBySystem } from "./egress.ts";
import { IdlePods, PodUse } from "./idle-pods.ts";
import { type CallProgress, InFlightCalls, type Work } from "./in-flight-calls.ts";
import { OwnPods, ServiceChecks } from "./own-pods.ts";
import { PerOwner } from "./per-owner.ts";
import { specHashOf } from "./pod-objects.ts";
import { nextStep, podRun } from "./pod-state.ts";
import { Refusals } from "./refusals.ts";
import { serviceAddresses } from "./service-addresses.ts";
import { type OwnService, ServiceRoutes } from "./service-routes.ts";
import { PodWakeups, type ReadyPod, SharedStarts, startPod } from "./start-pod.ts";
import { createTokenSource } from "./token-source.ts";

/** What the administrator of Tenon decides about apparatuses. */
export interface ApparatusSettings {
  /** Hosts that any plug or socket may name as its endpoint. */
  readonly allow: readonly string[];
  readonly clusterDomain: string;
  /** Tenon runs in a pod of the cluster. */
  readonly isInCluster: boolean;
  /** Hosts of the API server, by name or address. */
  readonly apiServer: readonly string[];
  /** Whose tokens are shown to apparatuses. */
  readonly tokenAccount?: { readonly namespace: string; readonly name: string } | undefined;
  /** Called instead of every endpoint of a side. */
  readonly debugEndpoints: Readonly<Partial<Record<Side, string>>>;
  /** For calls through the API server; default: the same client. */
  readonly proxyClient?: KubeClient;
  readonly resolve?: Resolve;
}

export const defaultApparatusSettings: ApparatusSettings = {
  allow: [],
  clusterDomain: "cluster.local",
  isInCluster: false,
  apiServer: [],
  debugEndpoints: {},
};

interface ApparatusClientOptions extends ApparatusSettings {
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

/** Requests at once to the apparatus of one object; further requests queue without blocking other objects. */
const atOnce = 32;
const connectTimeoutMs = 5_000;
const pingTimeoutMs = 5_000;
const keptAttempts = 10_000;

/** Calls apparatuses over HTTP, and runs the pods of those with containers. */
export function createApparatusClient(options: ApparatusClientOptions): ApparatusClient & Disposable {
  const { client, clock, random, log, clusterDomain, debugEndpoints, resolve = resolveBySystem } = options;
  const metrics = apparatusMetrics(options.metrics);
  const apiServer = apiServerAddresses(options.apiServer, resolve, clock);
  const guarded = openAgent({ lookup: guardedLookup(apiServer, resolve) });
  const ofServices = openAgent({ lookup: guardedLookup(apiServer, serviceAddresses(client, clusterDomain)) });
  const free = openAgent({});
  const { isInCluster, proxyClient = client } = options;
  const routes = new ServiceRoutes({ isInCluster, clusterDomain, guarded, proxyClient, clock });
  const token = createTokenSource({ client, account: options.tokenAccount, clock, log });
  const { store } = options.pods;
  const pods = new OwnPods({ client, pods: store, clock, metrics });
  const services = new ServiceChecks(pods, clock);
  const { ownerOf, mayWrite } = options;
  const use = new PodUse({ pods, ownerOf, clock, log, onIdle: () => idle.watch() });
  const idle = new IdlePods({ store, pods, use, ownerOf, mayWrite, metrics, clock, log });
  const wakeups = new PodWakeups(clock);
  const inFlight = new InFlightCalls(clock);
  const starts = new SharedStarts();
  const ready = new PerOwner<ReadyPod>(ownerOf);
  const lines = new PerOwner<Semaphore>(ownerOf);
  const refusals = new Refusals(clock);
  const attempts = new LeastRecentlyUsed<string, { count: number }>(keptAttempts);
  const subscription = options.pods.subscribe(onPodChange);

  function onPodChange({ type, object }: StoreChange): void {
    if (type === "deleted") pods.forget(object);
    wakeups.tell(object.metadata.labels?.[apparatusLabels.uid] ?? "");
    idle.watch();
  }

  function address(side: Side, object: Plug | Socket): Address | undefined {
    return addressOf(object, { clusterDomain, debugEndpoint: debugEndpoints[side] });
  }

  async function ask(event: Stage | "config", call: ConfigCall, signal: AbortSignal): Promise<JsonObject | undefined> {
    const { side, object, id, waiter } = call;
    const at = address(side, object);
    if (!at) return undefined;
    const slot = `${side} ${event === "config" ? event : "stage"}`;
    const work: Work = (progress, ending) =>
      lines.get(object, () => new Semaphore(atOnce)).run(() => reach(event, call, at, progress, ending), ending);
    return await refusals.run(slot, id, waiter, () => inFlight.run(slot, id, waiter, work, signal));
  }

  async function reach(
    event: Stage | "config",
    call: ConfigCall,
    at: Address,
    progress: CallProgress,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const { side, object } = call;
    if (at.kind === "own")
      return await use.during(object, () => askOwn(event, call, at.prefix, progress, signal), signal);
    const url = new URL(at.base);
    const agent = debugEndpoints[side] === undefined ? await agentFor(url, object) : free;
    const send: Send = (request, timeoutMs, ending) =>
      requestApparatus(agent, url.origin, request, { clock, timeoutMs }, ending);
    return await deliverTo(
      event,
      call,
      { base: at.base, path: url.pathname.replace(/(?<!\/)\/+$/, ""), send },
      progress,
      signal,
    );
  }

  async function agentFor(url: URL, object: Plug | Socket): Promise<Dispatcher> {
    const rules = { allow: options.allow, clusterDomain, apiServer: await apiServer() };
    const leave = checkUrl(url, namespaceOf(object), rules, `${describeObject(object)} spec.apparatus.endpoint`);
    return leave === "allowed" ? guarded : ofServices;
  }

  async function askOwn(
    event: Stage | "config",
    call: ConfigCall,
    prefix: string,
    progress: CallProgress,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const { object } = call;
    const { uid = "" } = object.metadata;
    const { service } = await whenReady(object, progress, signal);
    const base = `http://${serviceHost(service.name, service.namespace, clusterDomain)}${prefix}`;
    const send: Send = async (request, timeoutMs, ending) => {
      // A long call is sent many times.
      if (await services.isCurrent(service, object, ending)) return routes.send(service, request, timeoutMs, ending);
      throw new Error(
        `Service ${service.namespace}/${service.name} of the apparatus was deleted or changed during the call`,
      );
    };
    try {
      return await deliverTo(event, call, { base, path: prefix, send }, progress, signal);
    } catch (error) {
      // After any failure, the pod is pinged before the next call.
      ready.forget(uid);
      throw error;
    }
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

  async function whenReady(object: Plug | Socket, progress: CallProgress, signal: AbortSignal): Promise<ReadyPod> {
    const { uid = "" } = object.metadata;
    const known = ready.find(uid);
    const pod = pods.find(object);
    const isWell = pod && nextStep(pod, specHashOf(object)) === "ask whether it is ready";
    const isSame = known && isWell && podRun(pod) === known.run;
    if (isSame && (await services.isCurrent(known.service, object, signal))) return known;
    const deps = { pods, current: () => currentOf(object), ping, pause: wakeups.of(uid) };
    const found = await starts.join(uid, (told, ending) => startPod(deps, told, ending), progress, signal);
    ready.set(object, found);
    return found;
  }

  /** Read again each time: a start for an old spec must not fight over the pod with a start for the new one. */
  function currentOf(object: Plug | Socket): Plug | Socket {
    const found = ownerOf(object.kind, keyOf(object));
    if (found && found.metadata.uid === object.metadata.uid) return found;
    throw new Error(`${describeObject(object)} no longer exists`);
  }

  async function ping(object: Plug | Socket, service: OwnService, signal: AbortSignal): Promise<boolean> {
    const at = address(object.kind === "Plug" ? "plug" : "socket", object);
    const path = `${at?.kind === "own" ? at.prefix : ""}/ping`;
    try {
      const { status } = await routes.send(service, { method: "GET", path, headers: {} }, pingTimeoutMs, signal);
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
      ready.forget(uid);
      use.forget(uid);
    },
    [Symbol.dispose]() {
      subscription[Symbol.dispose]();
      idle[Symbol.dispose]();
      inFlight[Symbol.dispose]();
      // The next process repeats the calls that are cut off.
      for (const agent of [guarded, ofServices, free]) agent.destroy().catch(() => {});
    },
  };
}

/** Without time limits of its own: each caller sets them per call. */
function openAgent(connect: { readonly lookup?: ReturnType<typeof guardedLookup> }): Dispatcher {
  return new HttpAgent({
    connect: { timeout: connectTimeoutMs, ...connect },
    connections: atOnce,
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}
