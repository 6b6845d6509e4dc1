import type { Clock, Logger, Metrics } from "#base";
import { createEventRecorder, createReflector, type KubeClient, type KubeObject, keyOf, type ObjectStore } from "#kube";
import { type Controller, createController, trackStatus } from "#runtime";
import { type Apparatus, noApparatus } from "./apparatus/apparatus.ts";
import { apiVersion, reporters } from "./kinds/names.ts";
import { Socket } from "./kinds/socket.ts";
import { byNamespace, byPairing, bySocket, byUid, type CouplingDeps } from "./lifecycle/coupling-deps.ts";
import { couplingMetrics } from "./lifecycle/coupling-metrics.ts";
import { Fingerprint } from "./lifecycle/fingerprint.ts";
import { Inputs } from "./lifecycle/inputs.ts";
import { Latest } from "./lifecycle/latest.ts";
import { claimOf, pairingOf, socketOf } from "./lifecycle/plug-index.ts";
import { plugReconciler } from "./lifecycle/plug-reconciler.ts";
import { conditionOf } from "./lifecycle/read-conditions.ts";
import { recallRoster } from "./lifecycle/recall-roster.ts";
import { ownersWishes, relevantChanges } from "./lifecycle/relevant-changes.ts";
import { Roster } from "./lifecycle/roster.ts";
import { holdersOf, socketReconciler } from "./lifecycle/socket-reconciler.ts";
import { reportSocket } from "./lifecycle/socket-status.ts";
import { Wakeups } from "./lifecycle/wakeups.ts";
import { Claims } from "./resources/claims.ts";

export interface CouplingOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: Metrics;
  /** Of this installation and no other; fingerprints in status are made with it. */
  readonly fingerprintKey: Uint8Array;
  /** Which replica tells events, such as the pod's name. */
  readonly instance: string;
  readonly apparatus?: Apparatus;
  /** Only plugs and sockets of this namespace; default all. */
  readonly namespace?: string | undefined;
  /** Plugs at once; they never wait for one another beyond that. */
  readonly concurrency?: number;
  readonly allowClusterScoped?: boolean;
  readonly mayWrite?: () => boolean;
}

/** The controllers of plugs and sockets, for `runControllers`. */
export interface Coupling extends Disposable {
  readonly controllers: readonly Controller[];
  /** Sends the events that wait. */
  flush(signal: AbortSignal): Promise<void>;
}

/** How long a plug that is ready waits for each other one on its way to the same socket, to be written in the same list. */
const gatherMs = 5;
const longestGatherMs = 250;

export function createCoupling(options: CouplingOptions): Coupling {
  const { client, clock, random, log, metrics, namespace, concurrency = 64, mayWrite = () => true } = options;
  const shared = { client, clock, random, log, ...(metrics ? { metrics } : {}) };
  const plugs = createReflector({
    ...shared,
    selection: { apiVersion, kind: "Plug", namespace },
    indexers: {
      [byPairing]: (plug) => listOf(pairingOf(plug)),
      [bySocket]: (plug) => listOf(socketOf(plug)),
      [byNamespace]: ({ metadata }) => listOf(metadata.namespace),
    },
  });
  const sockets = createReflector({
    ...shared,
    selection: { apiVersion, kind: "Socket", namespace },
    indexers: {
      [byUid]: ({ metadata }) => listOf(metadata.uid),
      [byNamespace]: ({ metadata }) => listOf(metadata.namespace),
    },
  });
  const metadataOnly = (kind: string) =>
    createReflector({ ...shared, selection: { apiVersion: "v1", kind, namespace, metadataOnly: true } });
  const [secrets, configMaps] = [metadataOnly("Secret"), metadataOnly("ConfigMap")];
  const namespaces = createReflector({
    ...shared,
    // Who may see one namespace only can be allowed to watch that one by its name.
    selection: {
      apiVersion: "v1",
      kind: "Namespace",
      metadataOnly: true,
      ...(namespace === undefined ? {} : { fieldSelector: `metadata.name=${namespace}` }),
    },
  });
  const [latestPlugs, latestSockets] = [new Latest(plugs.store), new Latest(sockets.store)];
  const [wakePlug, wakeSocket] = [new Wakeups(), new Wakeups()];

  async function writeSocket(uid: string, coupled: Parameters<typeof reportSocket>[2]): Promise<void> {
    const [kept] = sockets.store.byIndex(byUid, uid);
    const latest = kept && latestSockets.get(keyOf(kept));
    if (!latest) return;
    const status = trackStatus(latest, client, { clock, mayWrite });
    reportSocket(status, Socket.parse(latest), coupled, holdersOf(latest, deps).map(keyOf));
    await status.write();
    latestSockets.note(status.object);
  }

  function wakeSocketOf(uid: string): void {
    for (const socket of sockets.store.byIndex(byUid, uid)) wakeSocket.wake(keyOf(socket));
  }

  const events = {
    Plug: createEventRecorder(client, { reporter: reporterOf("Plug", options), clock, random, logger: log }),
    Socket: createEventRecorder(client, { reporter: reporterOf("Socket", options), clock, random, logger: log }),
  };
  const inputs = new Inputs({ wake: (key) => wakePlug.wake(key), clock, log });
  const deps: CouplingDeps = {
    client,
    clock,
    random,
    log,
    metrics: couplingMetrics(metrics),
    plugs: latestPlugs,
    sockets: latestSockets,
    namespace: (name) => namespaces.store.get(name),
    signals: { Secret: secrets.store, ConfigMap: configMaps.store },
    roster: new Roster({
      write: writeSocket,
      recall: (uid) => recallRoster(uid, latestPlugs, sockets.store),
      gather: (onTheirWay) => clock.sleep(Math.min(onTheirWay * gatherMs, longestGatherMs)),
      onPlace: (key) => wakePlug.wake(key),
      onLeft: wakeSocketOf,
    }),
    claims: new Claims(() => latestPlugs.list().map(claimOf)),
    inputs,
    fingerprint: new Fingerprint(options.fingerprintKey),
    events,
    apparatus: options.apparatus ?? noApparatus,
    wakePlug,
    wakeSocket,
    allowClusterScoped: options.allowClusterScoped ?? false,
    mayWrite,
  };

  const plugsOf = (socket: KubeObject): string[] => [
    ...plugs.store.byIndex(bySocket, keyOf(socket)).map(keyOf),
    ...plugs.store.byIndex(byPairing, socket.metadata.uid ?? "").map(keyOf),
  ];
  const readersOf = (object: KubeObject) => inputs.readersOf(object);
  const plugController = createController({
    ...shared,
    name: "plugs",
    reconcile: plugReconciler(deps),
    concurrency,
    sources: [
      { reflector: relevantChanges(plugs, ownersWishes) },
      { reflector: relevantChanges(sockets, wishesAndCreation), keysOf: plugsOf },
      { reflector: secrets, keysOf: readersOf },
      { reflector: configMaps, keysOf: readersOf },
      { reflector: relevantChanges(namespaces, labelsAndDeletion), keysOf: inNamespace(plugs.store) },
      wakePlug.source,
    ],
  });
  const socketController = createController({
    ...shared,
    name: "sockets",
    reconcile: socketReconciler(deps),
    concurrency,
    sources: [
      { reflector: relevantChanges(sockets, ownersWishes) },
      { reflector: relevantChanges(namespaces, labelsAndDeletion), keysOf: inNamespace(sockets.store) },
      // Who is on a socket is known when all plugs are.
      ...[plugs, sockets, namespaces].map((reflector) => ({ reflector, keysOf: () => [] })),
      wakeSocket.source,
    ],
  });

  return {
    controllers: [socketController, plugController],
    flush: async (signal) => void (await Promise.all([events.Plug.flush(signal), events.Socket.flush(signal)])),
    [Symbol.dispose]: () => inputs[Symbol.dispose](),
  };
}

/** Plugs wait for a socket to be created, after which it has a word on coupling. */
function wishesAndCreation(socket: KubeObject): unknown {
  return [ownersWishes(socket), conditionOf(socket, "Coupled") !== undefined];
}

function labelsAndDeletion({ metadata }: KubeObject): unknown {
  return [metadata.labels, metadata.deletionTimestamp];
}

/** Of a namespace: those that are in it. */
function inNamespace(store: ObjectStore): (namespace: KubeObject) => string[] {
  return ({ metadata }) => store.byIndex(byNamespace, metadata.name).map(keyOf);
}

function listOf(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value];
}

function reporterOf(kind: "Plug" | "Socket", { instance }: CouplingOptions) {
  return { controller: `tenon.dev/${reporters[kind]}`, instance };
}
