import { type Controller, createController } from "#runtime";
import { createApparatusClient } from "./apparatus/calls/create-apparatus-client.ts";
import { defaultApparatusSettings } from "./apparatus/transport/apparatus-settings.ts";
import { stateMetrics } from "./coupling-metrics.ts";
import type { CouplingOptions } from "./coupling-options.ts";
import { createDeferral } from "./deferred/create-deferral.ts";
import { countStates } from "./lifecycle/count-states.ts";
import { plugReconciler } from "./lifecycle/plug-reconciler.ts";
import { socketReconciler } from "./lifecycle/socket-reconciler.ts";
import { shareCoupling } from "./share-coupling.ts";
import { CouplingWakeups, plugSources, socketSources } from "./wake-coupling.ts";
import { watchCoupling } from "./watch-coupling.ts";

/** The controllers of plugs, sockets and DeferredResources, for `runControllers`. */
export interface Coupling extends Disposable {
  readonly controllers: readonly Controller[];
  /** Sends the buffered Events. */
  flush(signal: AbortSignal): Promise<void>;
}

/**
 * Twice the calls that run at once on a connection to a cluster: more plugs that are on their way only wait for each other, and
 * all end late.
 */
const defaultConcurrency = 64;

export function createCoupling(options: CouplingOptions): Coupling {
  const { client, clock, random, log, metrics, concurrency = defaultConcurrency, mayWrite = () => true } = options;
  const shared = { client, clock, random, log, ...(metrics ? { metrics } : {}) };
  const watch = watchCoupling(shared, options.namespaces);
  const { plugs, sockets, secrets, configMaps, covers, pods, ownerOf } = watch;
  using making = new DisposableStack();
  const gauges = stateMetrics(metrics);
  making.use(countStates(plugs, gauges.plugs));
  making.use(countStates(sockets, gauges.sockets));
  const settings = options.apparatusSettings ?? defaultApparatusSettings;
  const apparatus =
    options.apparatus ?? making.use(createApparatusClient({ settings, ...shared, pods, ownerOf, mayWrite }));
  const wakeups = making.use(new CouplingWakeups({ covers, clock, random, log }));
  const { deps, plugSessions, socketSessions } = shareCoupling(options, watch, wakeups, apparatus);
  const { events } = deps.report;
  const deferral = making.use(
    createDeferral({
      ...shared,
      scope: watch.scope,
      shared: [secrets, configMaps],
      events: events.DeferredResource,
      concurrency,
      allowClusterScoped: deps.cluster.allowClusterScoped,
      mayWrite,
    }),
  );
  const controllers = [
    createController({
      ...shared,
      name: "sockets",
      reconcile: socketReconciler(deps, socketSessions, (key) => wakeups.wakeSocket.wake(key)),
      concurrency,
      sources: socketSources(watch, wakeups),
    }),
    createController({
      ...shared,
      name: "plugs",
      reconcile: plugReconciler(deps, plugSessions),
      concurrency,
      // Plugs of one socket are listed by one write of its status, if they are coupled together.
      groupOf: watch.socketKeyOf,
      sources: plugSources(watch, wakeups, plugSessions),
    }),
    deferral.controller,
  ];
  const owned = making.move();
  return {
    controllers,
    flush: async (signal) => void (await Promise.all(Object.values(events).map((each) => each.flush(signal)))),
    [Symbol.dispose]: () => owned.dispose(),
  };
}
