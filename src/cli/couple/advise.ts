import { callAgain } from "../call-again.ts";
import type { CoupledState } from "./coupled-state.ts";

/** What somebody should do about a plug, in their own words; undefined where it goes its way by itself. */
export function advisePlug(state: CoupledState, env: NodeJS.ProcessEnv): string | undefined {
  const { reason, object } = state;
  const tenon = callAgain(env);
  const key = `${object.metadata.namespace}/${object.metadata.name}`;
  if (state.isDeleting) {
    return state.hasFailed ? `correct it, or give up: ${tenon} couple release plug/${key}` : undefined;
  }
  switch (reason) {
    case undefined:
      return `nobody has looked at it yet: is \`${tenon} run --only couple\` running?`;
    case "SocketNotCreated":
      if (state.target === undefined) return "give spec.socket.name";
      return state.message?.startsWith(`Socket ${state.target}: `)
        ? `see what the socket waits for: ${tenon} get sockets ${state.target}`
        : "create the socket, or correct spec.socket";
    case "LimitReached":
      return "delete or move another plug, or ask the socket's owner to raise spec.limit";
    case "NamespaceNotAllowed":
      return "ask the socket's owner to admit it: spec.allowedPlugs, spec.validation";
    case "InterfaceMismatch":
      return "correct spec.interfaceName, or ask for another socket";
    case "WaitingForApparatus":
      return "see the pod's log and Events; it goes on as soon as the apparatus answers";
    case "WaitingForResult":
      return `see why the object is not there: ${tenon} explain plug/${key}`;
    case "SocketDeleting":
      return "ask for another socket, or wait for a new one";
    case "Suspended":
      return "set spec.suspend to false, on the side that is suspended";
    case "Error":
    case "ApplyConflict":
      return state.isStalled
        ? `correct it; then it is tried at once, or by: ${tenon} couple retry ${key}`
        : `wait, or try now: ${tenon} couple retry ${key}`;
    default:
      return undefined;
  }
}

/** The same for a socket. */
export function adviseSocket(state: CoupledState, env: NodeJS.ProcessEnv): string | undefined {
  const { reason, object } = state;
  const tenon = callAgain(env);
  const key = `${object.metadata.namespace}/${object.metadata.name}`;
  if (state.isDeleting) return `delete or move its plugs, or give up: ${tenon} couple release socket/${key}`;
  if (reason === undefined) return `nobody has looked at it yet: is \`${tenon} run --only couple\` running?`;
  if (state.hasFailed)
    return state.isStalled ? "correct it; until then no plug is admitted" : "wait; it is tried again";
  if (reason === "WaitingForApparatus") {
    return "see the pod's log and Events; it goes on as soon as the apparatus answers";
  }
  return reason === "Suspended" ? "set spec.suspend to false" : undefined;
}
