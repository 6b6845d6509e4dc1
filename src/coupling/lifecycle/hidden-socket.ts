import { InputError } from "#base";
import type { SocketName } from "../kinds/index.ts";
import type { CouplingDeps } from "./coupling-deps.ts";

/** Whether a socket is in a namespace where the operator does not work, so that it would not see the socket. */
export function isHidden({ namespace }: SocketName, { cluster }: Pick<CouplingDeps, "cluster">): boolean {
  return !cluster.covers(namespace);
}

/** Says what to do, and does not name the operator's namespaces: they may belong to other tenants. */
export function describeHidden({ namespace, name }: SocketName): string {
  return `Socket ${namespace}/${name} is in a namespace where this operator does not work; name a socket of another namespace, or ask for one operator that works in both`;
}

/** The pairing with a hidden socket cannot be undone: its side is unknown. */
export function hiddenSocket(socket: SocketName): InputError {
  return new InputError(`cannot decouple from a socket that is not seen: ${describeHidden(socket)}`);
}
