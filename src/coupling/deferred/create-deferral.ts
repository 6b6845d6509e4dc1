import type { Clock, Logger, Metrics } from "#base";
import { createReflector, type EventRecorder, type KubeClient, type KubeObject, type Reflector } from "#kube";
import { type Controller, createController, filterChanges, FreshStore, userChanges, Wakeups } from "#runtime";
import { apiVersion } from "../kinds/names.ts";
import { InputWatches } from "../lifecycle/input-watches.ts";
import { deferredReconciler } from "./deferred-reconciler.ts";

interface DeferralOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: Metrics;
  readonly namespace: string | undefined;
  /** The metadata of Secrets and ConfigMaps, as for plugs. */
  readonly shared: readonly Reflector[];
  readonly events: EventRecorder;
  readonly concurrency: number;
  readonly allowClusterScoped: boolean;
  readonly mayWrite: () => boolean;
}

/** The controller of DeferredResources. */
export interface Deferral extends Disposable {
  readonly controller: Controller;
}

export function createDeferral(options: DeferralOptions): Deferral {
  const { namespace, shared, concurrency, events, allowClusterScoped, mayWrite, ...parts } = options;
  const { client, clock, random, log } = parts;
  const reflector = createReflector({ ...parts, selection: { apiVersion, kind: "DeferredResource", namespace } });
  const wakeups = new Wakeups();
  const inputs = new InputWatches({ wake: (key) => wakeups.wake(key), clock, random, log });
  const objects = new FreshStore(reflector);
  const controller = createController({
    ...parts,
    name: "deferredresources",
    reconcile: deferredReconciler({ client, clock, objects, inputs, events, allowClusterScoped, mayWrite }),
    concurrency,
    sources: [
      { reflector: filterChanges(reflector, userChanges) },
      { reflector, keysOf: () => [] },
      ...shared.map((each) => ({ reflector: each, keysOf: (object: KubeObject) => inputs.readersOf(object) })),
      wakeups.source,
    ],
  });
  return { controller, [Symbol.dispose]: () => inputs[Symbol.dispose]() };
}
