import { keyOf, type KubeObject, type ObjectStore } from "#kube";
import { type ControllerSource, filterChanges, userChanges, Wakeups } from "#runtime";
import { byNamespace, byPairing, bySocket, byUid } from "./lifecycle/coupling-deps.ts";
import { InputWatches } from "./lifecycle/input-watches.ts";
import type { PlugSessions } from "./lifecycle/plug-session.ts";
import { promisedPlugOf } from "./lifecycle/promised-secret.ts";
import { conditionOf, isCreated } from "./lifecycle/unparsed-objects.ts";
import type { CouplingWatch } from "./watch-coupling.ts";

/** Plugs and sockets that are woken by Tenon itself, or by a change of an object that they read. */
export class CouplingWakeups implements Disposable {
  readonly wakePlug = new Wakeups();
  /** An apparatus has answered. */
  readonly resumePlug = new Wakeups();
  readonly wakeSocket = new Wakeups();
  readonly ofPlugs: InputWatches;
  readonly ofSockets: InputWatches;

  constructor(options: Omit<ConstructorParameters<typeof InputWatches>[0], "wake">) {
    this.ofPlugs = new InputWatches({ ...options, wake: (key) => this.wakePlug.wake(key) });
    this.ofSockets = new InputWatches({ ...options, wake: (key) => this.wakeSocket.wake(key) });
  }

  [Symbol.dispose](): void {
    this.ofPlugs[Symbol.dispose]();
    this.ofSockets[Symbol.dispose]();
  }
}

/** What wakes a plug. */
export function plugSources(
  { plugs, sockets, secrets, configMaps, namespaces, pods }: CouplingWatch,
  { wakePlug, resumePlug, ofPlugs }: CouplingWakeups,
  sessions: PlugSessions,
): ControllerSource[] {
  const plugsOf = (socket: KubeObject): string[] => [
    ...plugs.store.byIndex(bySocket, keyOf(socket)).map(keyOf),
    ...plugs.store.byIndex(byPairing, socket.metadata.uid ?? "").map(keyOf),
  ];
  const readersOf = (object: KubeObject) => ofPlugs.readersOf(object);
  /** The plug to which a Secret is promised, if the change is not our own write. */
  const promisedTo = (secret: KubeObject): string[] => {
    const keys = plugs.store.byIndex(byUid, promisedPlugOf(secret) ?? "").map(keyOf);
    const isGone = secrets.store.get(keyOf(secret)) === undefined;
    return keys.filter((key) => isGone || sessions.find(key)?.isPromiseKept(secret) === false);
  };
  return [
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
  ];
}

/** What wakes a socket. */
export function socketSources(
  { plugs, sockets, secrets, configMaps, namespaces }: CouplingWatch,
  { wakeSocket, ofSockets }: CouplingWakeups,
): ControllerSource[] {
  return [
    { reflector: filterChanges(sockets, userChanges) },
    { reflector: filterChanges(namespaces, labelsAndDeletion), keysOf: inNamespace(sockets.store) },
    ...[secrets, configMaps].map((reflector) => ({
      reflector,
      keysOf: (object: KubeObject) => [...ofSockets.readersOf(object)],
    })),
    // The plugs of a socket are known only when all plugs are.
    ...[plugs, sockets, namespaces].map((reflector) => ({ reflector, keysOf: () => [] })),
    wakeSocket.source,
  ];
}

/** Plugs wait for their socket's `created`, and repeat what the socket waits for. */
function wishesAndCreation(socket: KubeObject): unknown {
  const isReady = isCreated(socket);
  return [userChanges(socket), isReady, isReady ? undefined : conditionOf(socket, "Coupled")?.["message"]];
}

function labelsAndDeletion({ metadata }: KubeObject): unknown {
  return [metadata.labels, metadata.deletionTimestamp];
}

/** The keys of a namespace's objects. */
function inNamespace(store: ObjectStore): (namespace: KubeObject) => string[] {
  return ({ metadata }) => store.byIndex(byNamespace, metadata.name).map(keyOf);
}
