import { compareText } from "#base";
import { type KubeObject, keyOf } from "#kube";
import { readState } from "./coupled-state.ts";
import { describeWait } from "./get-coupled.ts";
import { recordOf, textOf } from "./unknown-value.ts";

export interface GraphPlug {
  readonly namespace: string;
  readonly name: string;
  readonly state: string;
  readonly waitsFor?: string;
  /** The socket it asks for, as `namespace/name`. */
  readonly socket?: string;
  /** The socket it is still on, if that is another one. */
  readonly leaves?: string;
}

export interface GraphSocket {
  readonly namespace: string;
  readonly name: string;
  /** Absent for one that plugs ask for and that does not exist. */
  readonly state?: string;
  readonly waitsFor?: string;
  readonly interface?: string;
}

/** Who is on whose socket, or wants to be; sorted by namespace and name. */
export interface CouplingGraph {
  readonly sockets: readonly GraphSocket[];
  readonly plugs: readonly GraphPlug[];
}

/** With a namespace: what is in it, and what that is connected to. */
export function buildGraph(
  plugs: readonly KubeObject[],
  sockets: readonly KubeObject[],
  namespace?: string,
): CouplingGraph {
  const isShown = (key: string | undefined): boolean => namespace === undefined || key?.split("/")[0] === namespace;
  const shownPlugs = plugs
    .map(plugOf)
    .filter((plug) => isShown(`${plug.namespace}/`) || isShown(plug.socket ?? "") || isShown(plug.leaves ?? ""))
    .toSorted(byKey);
  const wanted = new Set(
    shownPlugs.flatMap(({ socket, leaves }) => [socket, leaves]).filter((key) => key !== undefined),
  );
  const known = new Map(sockets.map((socket) => [keyOf(socket), socketOf(socket)]));
  const missing = [...wanted].filter((key) => !known.has(key)).map(missingSocket);
  const shownSockets = [...known].filter(([key]) => isShown(key) || wanted.has(key)).map(([, socket]) => socket);
  return { sockets: [...shownSockets, ...missing].toSorted(byKey), plugs: shownPlugs };
}

function plugOf(object: KubeObject): GraphPlug {
  const state = readState(object);
  const { namespace = "", name } = object.metadata;
  const waitsFor = describeWait(state);
  return {
    namespace,
    name,
    state: state.state,
    ...(waitsFor === undefined ? {} : { waitsFor }),
    ...(state.target === undefined ? {} : { socket: state.target }),
    ...(state.leaves === undefined ? {} : { leaves: state.leaves }),
  };
}

function socketOf(object: KubeObject): GraphSocket {
  const state = readState(object);
  const { namespace = "", name } = object.metadata;
  const waitsFor = describeWait(state);
  const offered = textOf(recordOf(recordOf(object["spec"])["interface"])["name"]);
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
