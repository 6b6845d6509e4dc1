import type { Clock, Logger, Metrics } from "#base";
import { createEventRecorder, keyOf, type KubeClient, type KubeObject, type ObjectStore } from "#kube";
import {
  type Controller,
  createController,
  createNamespaceScope,
  filterChanges,
  FreshStore,
  type NamespaceChoice,
  userChanges,
  Wakeups,
} from "#runtime";
import type { ApparatusClient } from "./apparatus/calls/apparatus-client.ts";
import { createApparatusClient } from "./apparatus/calls/create-apparatus-client.ts";
import { apparatusPods } from "./apparatus/pods/own-pods.ts";
import { type ApparatusSettings, defaultApparatusSettings } from "./apparatus/transport/apparatus-settings.ts";
import { couplingMetrics, stateMetrics } from "./coupling-metrics.ts";
import { createDeferral } from "./deferred/create-deferral.ts";
import { apiVersion, reporters } from "./kinds/names.ts";
import { Plug } from "./kinds/plug.ts";
import { parseSocket, type Socket } from "./kinds/socket.ts";
import { statusOf, writeStatus } from "./lifecycle/coupling-attempt.ts";
import { byNamespace, byPairing, bySocket, byUid, type CouplingDeps } from "./lifecycle/coupling-deps.ts";
import { countStates } from "./lifecycle/count-states.ts";
import { Fingerprint } from "./lifecycle/fingerprint.ts";
import { InputWatches } from "./lifecycle/input-watches.ts";
import { plugReconciler } from "./lifecycle/plug-reconciler.ts";
import { PlugSessions, unchanged } from "./lifecycle/plug-session.ts";
import { createReadSlots } from "./lifecycle/read-inputs.ts";
import { reportSocket, type UnreadyObject } from "./lifecycle/report-status.ts";
import { recallRoster, Roster } from "./lifecycle/roster.ts";
import { promisedPlugOf } from "./lifecycle/state-secrets.ts";
import { holdersOf, socketReconciler } from "./lifecycle/socket-reconciler.ts";
import { claimOf, conditionOf, isCreated, pairingOf, socketOf } from "./lifecycle/unparsed-objects.ts";
import { Claims } from "./resources/inventory-entries.ts";

export interface CouplingOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: Metrics;
  /** The key of this installation, for the fingerprints in status. */
  readonly fingerprintKey: Uint8Array;
  /** The replica that reports Events, such as the pod's name. */
  readonly instance: string;
  /** Calls apparatuses; default: over HTTP. */
  readonly apparatus?: ApparatusClient;
  readonly apparatusSettings?: ApparatusSettings;
  /** Only plugs, sockets and DeferredResources of these namespaces; default all. */
  readonly namespaces?: NamespaceChoice | undefined;
  /** How many plugs are reconciled at once. */
  readonly concurrency?: number;
  readonly allowClusterScoped?: boolean;
  readonly mayWrite?: () => boolean;
}

/** The controllers of plugs, sockets and DeferredResources, for `runControllers`. */
export interface Coupling extends Disposable {
  readonly controllers: readonly Controller[];
  /** Sends the buffered Events. */
  flush(signal: AbortSignal): Promise<void>;
}

/**
 * A plug that is ready waits for other plugs of the same socket, to be listed by the same status write, as long as they keep
 * arriving: after a silence of this length, or of the last write if that was longer, the write starts. The roster waits longer
 * for plugs whose coupling takes long.
 */
const silenceMs = 50;
const longestGatherMs = 1_000;

export function createCoupling(options: CouplingOptions): Coupling {
  const { client, clock, random, log, metrics, concurrency = 256, mayWrite = () => true } = options;
  const shared = { client, clock, random, log, ...(metrics ? { metrics } : {}) };
  const scope = createNamespaceScope({ ...shared, choice: options.namespaces });
  const plugs = scope.reflect({
    selection: { apiVersion, kind: "Plug" },
    indexers: {
      [byPairing]: (plug) => listOf(pairingOf(plug)),
      [bySocket]: (plug) => listOf(socketOf(plug)),
      [byUid]: ({ metadata }) => listOf(metadata.uid),
      [byNamespace]: ({ metadata }) => listOf(metadata.namespace),
    },
  });
  const sockets = scope.reflect({
    selection: { apiVersion, kind: "Socket" },
    indexers: {
      [byUid]: ({ metadata }) => listOf(metadata.uid),
      [byNamespace]: ({ metadata }) => listOf(metadata.namespace),
    },
  });
  const metadataOnly = (kind: string) => scope.reflect({ selection: { apiVersion: "v1", kind, metadataOnly: true } });
  const [secrets, configMaps] = [metadataOnly("Secret"), metadataOnly("ConfigMap")];
  const { namespaces } = scope;
  const pods = scope.reflect(apparatusPods);
  const covers = (name: string): boolean => scope.covers(name);
  const [freshPlugs, freshSockets] = [new FreshStore(plugs), new FreshStore(sockets)];
  const [wakePlug, resumePlug, wakeSocket] = [new Wakeups(), new Wakeups(), new Wakeups()];
  const sessions = new PlugSessions({ resume: (key) => resumePlug.wake(key), clock });

  const unready = new Map<string, readonly UnreadyObject[]>();
  let lastWriteMs = 0;
  async function writeSocket(uid: string, coupled: Parameters<typeof reportSocket>[2]): Promise<void> {
    const [kept] = sockets.store.byIndex(byUid, uid);
    const latest = kept && freshSockets.get(keyOf(kept));
    if (!latest) return;
    const status = statusOf(latest, unchanged, deps);
    reportSocket(
      status,
      parseSocket(latest),
      coupled,
      () => holdersOf(latest, deps).map(keyOf),
      unready.get(uid) ?? [],
    );
    const startedAt = clock.monotonic();
    await writeStatus(status, freshSockets);
    lastWriteMs = clock.monotonic() - startedAt;
  }

  function wakeSocketOf(uid: string): void {
    for (const socket of sockets.store.byIndex(byUid, uid)) wakeSocket.wake(keyOf(socket));
  }

  const telling = { clock, random, logger: log, redactFor: (object: KubeObject) => sessions.redactFor(object) };
  const events = {
    Plug: createEventRecorder(client, { reporter: reporterOf("Plug", options), ...telling }),
    Socket: createEventRecorder(client, { reporter: reporterOf("Socket", options), ...telling }),
    DeferredResource: createEventRecorder(client, { reporter: reporterOf("DeferredResource", options), ...telling }),
  };
  using making = new DisposableStack();
  const gauges = stateMetrics(metrics);
  making.use(countStates(plugs, gauges.plugs));
  making.use(countStates(sockets, gauges.sockets));
  const apparatus =
    options.apparatus ??
    making.use(
      createApparatusClient({
        settings: options.apparatusSettings ?? defaultApparatusSettings,
        ...shared,
        pods,
        ownerOf: (kind, key) => ownerIn(kind === "Plug" ? freshPlugs : freshSockets, kind, key),
        mayWrite,
      }),
    );
  const inputs = new InputWatches({ wake: (key) => wakePlug.wake(key), covers, clock, random, log });
  const ofSockets = new InputWatches({ wake: (key) => wakeSocket.wake(key), covers, clock, random, log });
  const deps: CouplingDeps = {
    client,
    clock,
    random,
    cluster: {
      plugs: freshPlugs,
      sockets: freshSockets,
      covers,
      namespace: (name) => namespaces.store.get(name),
      metadataStores: { Secret: secrets.store, ConfigMap: configMaps.store },
      allowClusterScoped: options.allowClusterScoped ?? false,
      mayWrite,
    },
    report: { log, metrics: couplingMetrics(metrics), events },
    roster: new Roster({
      write: writeSocket,
      recall: (uid) => recallRoster(uid, freshPlugs, freshSockets),
      gathering: { clock, silenceMs: () => Math.max(silenceMs, lastWriteMs), longestMs: longestGatherMs },
      onPlace: (key) => wakePlug.wake(key),
      onLeft: wakeSocketOf,
    }),
    claims: new Claims(
      () => [...freshPlugs.list(), ...freshSockets.list()].map(claimOf),
      (uid) => {
        for (const plug of plugs.store.byIndex(byUid, uid)) wakePlug.wake(keyOf(plug));
      },
    ),
    inputs: { watches: inputs, slots: createReadSlots() },
    fingerprint: new Fingerprint(options.fingerprintKey),
    apparatus,
  };

  const plugsOf = (socket: KubeObject): string[] => [
    ...plugs.store.byIndex(bySocket, keyOf(socket)).map(keyOf),
    ...plugs.store.byIndex(byPairing, socket.metadata.uid ?? "").map(keyOf),
  ];
  const readersOf = (object: KubeObject) => inputs.readersOf(object);
  /** The plug to which a Secret is promised, if the change is not our own write. */
  const promisedTo = (secret: KubeObject): string[] => {
    const keys = plugs.store.byIndex(byUid, promisedPlugOf(secret) ?? "").map(keyOf);
    const isGone = secrets.store.get(keyOf(secret)) === undefined;
    return keys.filter((key) => isGone || sessions.find(key)?.isPromiseKept(secret) === false);
  };
  const plugController = createController({
    ...shared,
    name: "plugs",
    reconcile: plugReconciler(deps, sessions),
    concurrency,
    sources: [
      { reflector: filterChanges(plugs, userChanges) },
      { reflector: filterChanges(sockets, wishesAndCreation), keysOf: plugsOf },
      { reflector: secrets, keysOf: (secret) => [...readersOf(secret), ...promisedTo(secret)] },
      { reflector: configMaps, keysOf: readersOf },
      { reflector: filterChanges(namespaces, labelsAndDeletion), keysOf: inNamespace(plugs.store) },
      // The apparatus client wakes the plugs that wait for a pod.
      { reflector: pods, keysOf: () => [] },
      wakePlug.source,
      // Plugs that are on their way are coupled before others begin.
      { ...resumePlug.source, priority: "resumed" },
    ],
  });
  const socketController = createController({
    ...shared,
    name: "sockets",
    reconcile: socketReconciler(deps, { wake: (key) => wakeSocket.wake(key), watches: ofSockets, unready }),
    concurrency,
    sources: [
      { reflector: filterChanges(sockets, userChanges) },
      { reflector: filterChanges(namespaces, labelsAndDeletion), keysOf: inNamespace(sockets.store) },
      ...[secrets, configMaps].map((reflector) => ({
        reflector,
        keysOf: (object: KubeObject) => [...ofSockets.readersOf(object)],
      })),
      // The plugs of a socket are known only when all plugs are.
      ...[plugs, sockets, namespaces].map((reflector) => ({ reflector, keysOf: () => [] })),
      wakeSocket.source,
    ],
  });

  const deferral = making.use(
    createDeferral({
      ...shared,
      scope,
      shared: [secrets, configMaps],
      events: events.DeferredResource,
      concurrency,
      allowClusterScoped: deps.cluster.allowClusterScoped,
      mayWrite,
    }),
  );

  const owned = making.move();
  return {
    controllers: [socketController, plugController, deferral.controller],
    flush: async (signal) => void (await Promise.all(Object.values(events).map((each) => each.flush(signal)))),
    [Symbol.dispose]() {
      owned.dispose();
      inputs[Symbol.dispose]();
      ofSockets[Symbol.dispose]();
    },
  };
}

/** Plugs wait for their socket's `created`, and repeat what the socket waits for. */
function wishesAndCreation(socket: KubeObject): unknown {
  const isReady = isCreated(socket);
  return [userChanges(socket), isReady, isReady ? undefined : conditionOf(socket, "Coupled")?.["message"]];
}

/** The newest known plug or socket; undefined if it does not exist, or is not valid. */
function ownerIn(objects: FreshStore, kind: string, key: string): Plug | Socket | undefined {
  const found = objects.get(key);
  try {
    return found && (kind === "Plug" ? Plug.parse(found) : parseSocket(found));
  } catch {
    return undefined; // its reconciler reports the error
  }
}

function labelsAndDeletion({ metadata }: KubeObject): unknown {
  return [metadata.labels, metadata.deletionTimestamp];
}

/** The keys of a namespace's objects. */
function inNamespace(store: ObjectStore): (namespace: KubeObject) => string[] {
  return ({ metadata }) => store.byIndex(byNamespace, metadata.name).map(keyOf);
}

function listOf(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value];
}

function reporterOf(kind: keyof typeof reporters, { instance }: CouplingOptions) {
  return { controller: `tenon.dev/${reporters[kind]}`, instance };
}
