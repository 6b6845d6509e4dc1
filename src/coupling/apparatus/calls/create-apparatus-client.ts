import { type Clock, isRecord, type JsonObject, type Logger, type Metrics } from "#base";
import type { KubeClient, Reflector } from "#kube";
import { apparatusMetrics } from "../../coupling-metrics.ts";
import type { Plug, Socket } from "../../kinds/index.ts";
import { ReadyPods } from "../pods/ready-pods.ts";
import type { ApparatusSettings } from "../transport/apparatus-settings.ts";
import { ApparatusTransport, atOnce } from "../transport/apparatus-transport.ts";
import { toStageResult } from "./apparatus-answers.ts";
import type { ApparatusClient, ConfigCall } from "./apparatus-client.ts";
import { ApparatusLines } from "./apparatus-line.ts";
import { InFlightCalls, type Work } from "./in-flight-calls.ts";
import { type CallEvent, createReach, pingApparatus } from "./reach-apparatus.ts";
import { Refusals } from "./refusals.ts";

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

/** Calls apparatuses over HTTP, and runs the pods of those with containers. */
export function createApparatusClient(options: ApparatusClientOptions): ApparatusClient & Disposable {
  const { settings, client, ownerOf, mayWrite, clock, random, log } = options;
  const metrics = apparatusMetrics(options.metrics);
  const transport = new ApparatusTransport({ settings, client, clock });
  const ping: ConstructorParameters<typeof ReadyPods>[0]["ping"] = (object, service, signal) =>
    pingApparatus(object, service, transport, signal);
  const pods = new ReadyPods({ client, pods: options.pods, ownerOf, ping, mayWrite, metrics, clock, log });
  const reach = createReach({ settings, client, transport, pods, metrics, clock, random, log });
  const inFlight = new InFlightCalls(clock);
  const lines = new ApparatusLines(ownerOf, atOnce);
  const refusals = new Refusals(clock);

  async function ask(event: CallEvent, call: ConfigCall, signal: AbortSignal): Promise<JsonObject | undefined> {
    const { side, object, id, waiter } = call;
    const at = object.spec.apparatus && transport.addressOf(object);
    if (!at) return undefined;
    const slot = `${side} ${event === "config" ? event : "stage"}`;
    const work: Work = (progress, ending) =>
      lines.run(call, event, () => reach(event, call, at, progress, ending), ending);
    return await refusals.run(slot, id, waiter, () => inFlight.run(slot, id, waiter, work, signal));
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
