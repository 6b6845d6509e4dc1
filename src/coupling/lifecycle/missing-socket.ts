import { InputError } from "#base";
import type { KubeObject } from "#kube";
import { namespaceOf, parseSocket, type Plug, type SocketName } from "../kinds/index.ts";
import { wouldRefuse } from "./admit-plug.ts";
import type { CouplingDeps } from "./coupling-deps.ts";

/**
 * What a plug waits for whose socket does not exist. A socket of that name in another namespace is named if it would admit the
 * plug: what else other tenants have is not told.
 */
export function describeMissingSocket(plug: Plug, { namespace, name }: SocketName, deps: CouplingDeps): string {
  const others = deps.cluster.sockets
    .list()
    .filter((socket) => socket.metadata.name === name && isOffered(socket, plug, deps))
    .map((socket) => namespaceOf(socket))
    .toSorted();
  // The first words are those of integration-operator, which clients look for.
  const waiting = `waiting for socket to be created: Socket ${namespace}/${name} does not exist`;
  const [first] = others;
  if (first === undefined) return waiting;
  const hint = others.length === 1 ? `namespace ${first}` : `namespaces ${others.slice(0, 3).join(", ")}`;
  return `${waiting}; there is one of that name in ${hint}: if you mean it, set spec.socket.namespace`;
}

function isOffered(found: KubeObject, plug: Plug, deps: CouplingDeps): boolean {
  if (found.metadata.deletionTimestamp !== undefined) return false;
  try {
    return !wouldRefuse({ plug, socket: parseSocket(found) }, deps);
  } catch (error) {
    if (error instanceof InputError) return false; // the socket is not valid
    throw error;
  }
}
