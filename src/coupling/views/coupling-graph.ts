import { compareText } from "#base";
import { keyOf, type KubeObject } from "#kube";
import { readCoupledState, asRecord, asString, describeWait } from "./coupled-state.ts";

export interface GraphPlug {
  readonly namespace: string;
  readonly name: string;
  readonly state: string;
  readonly waitsFor?: string;
  /** The reason of its condition `Coupled`. */
  readonly reason?: string;
  /** The socket it names, as `namespace/name`. */
  readonly socket?: string;
  /** The socket it is still coupled to, if that is another one. */
  readonly leaves?: string;
}

export interface GraphSocket {
  readonly namespace: string;
  readonly name: string;
  /** Absent for a socket that plugs name but that does not exist. */
  readonly state?: string;
  readonly waitsFor?: string;
  readonly interface?: string;
}

/** Plugs and sockets, sorted by namespace and name. */
export interface CouplingGraph {
  readonly sockets: readonly GraphSocket[];
  readonly plugs: readonly GraphPlug[];
}

/**
 * With a namespace: its plugs and sockets, and those they are connected to. With `isUnhealthy`: plugs that are not coupled, the
 * sockets they name, and sockets that have failed.
 */
export function buildGraph(
  plugs: readonly KubeObject[],
  sockets: readonly KubeObject[],
  namespace?: string,
  { isUnhealthy = false }: { readonly isUnhealthy?: boolean } = {},
): CouplingGraph {
  const isShown = (key: string | undefined): boolean => namespace === undefined || key?.split("/")[0] === namespace;
  const shownPlugs = plugs
    .map(plugOf)
    .filter((plug) => !isUnhealthy || plug.state !== "Coupled")
    .filter((plug) => isShown(`${plug.namespace}/`) || isShown(plug.socket ?? "") || isShown(plug.leaves ?? ""))
    .toSorted(byKey);
  const named = new Set(
    shownPlugs.flatMap(({ socket, leaves }) => [socket, leaves]).filter((key) => key !== undefined),
  );
  const known = new Map(sockets.map((socket) => [keyOf(socket), socketOf(socket)]));
  const missing = [...named].filter((key) => !known.has(key)).map(missingSocket);
  const shownSockets = [...known]
    .filter(([key, { state }]) => (isShown(key) && (!isUnhealthy || state === "Failed")) || named.has(key))
    .map(([, socket]) => socket);
  return { sockets: [...shownSockets, ...missing].toSorted(byKey), plugs: shownPlugs };
}

function plugOf(object: KubeObject): GraphPlug {
  const state = readCoupledState(object);
  const { namespace = "", name } = object.metadata;
  const waitsFor = describeWait(state);
  return {
    namespace,
    name,
    state: state.state,
    ...(waitsFor === undefined ? {} : { waitsFor }),
    ...(state.reason === undefined ? {} : { reason: state.reason }),
    ...(state.target === undefined ? {} : { socket: state.target }),
    ...(state.leaves === undefined ? {} : { leaves: state.leaves }),
  };
}

function socketOf(object: KubeObject): GraphSocket {
  const state = readCoupledState(object);
  const { namespace = "", name } = object.metadata;
  const waitsFor = describeWait(state);
  const offered = asString(asRecord(asRecord(object["spec"])["interface"])["name"]);
  return {
    namespace,
    name,
    state: state.state,
    ...(waitsFor === undefined ? {} : { waitsFor }),
    ...(offered === undefined ? {} : { interface: offered }),
  };
}

function missingSocket(key: string): GraphSocket {
  const slash = key.indexOf("/");
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

export function graphKey({ namespace, name }: GraphPlug | GraphSocket): string {
  return `${namespace}/${name}`;
}

function byKey(one: GraphPlug | GraphSocket, other: GraphPlug | GraphSocket): number {
  return compareText(graphKey(one), graphKey(other));
}
