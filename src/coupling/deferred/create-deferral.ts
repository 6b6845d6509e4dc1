import type { Clock, Logger, Metrics } from "#base";
import { type EventRecorder, type KubeClient, type KubeObject, type Reflector } from "#kube";
import {
  type Controller,
  createController,
  filterChanges,
  FreshStore,
  type NamespaceScope,
  userChanges,
  Wakeups,
} from "#runtime";
import { apiVersion } from "../kinds/index.ts";
import { InputWatches } from "../lifecycle/input-watches.ts";
import { deferredReconciler } from "./deferred-reconciler.ts";

interface DeferralOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: Metrics;
  readonly scope: NamespaceScope;
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
  const { scope, shared, concurrency, events, allowClusterScoped, mayWrite, ...parts } = options;
  const { client, clock, random, log } = parts;
  const reflector = scope.reflect({ selection: { apiVersion, kind: "DeferredResource" } });
  const wakeups = new Wakeups();
  const covers = (namespace: string): boolean => scope.covers(namespace);
  const inputs = new InputWatches({ wake: (key) => wakeups.wake(key), covers, clock, random, log });
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
