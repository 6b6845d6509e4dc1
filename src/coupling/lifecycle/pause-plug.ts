import { done, type Result } from "#runtime";
import { describeObject, type Plug, type Socket, type SocketName } from "../kinds/index.ts";
import { isCoupled, type PlugAttempt } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { describeHidden } from "./hidden-socket.ts";
import { reportPlug } from "./report-status.ts";
import { isCoupledTrue } from "./unparsed-objects.ts";

/** The plug or its socket is suspended. */
export function suspend(attempt: PlugAttempt, suspended: Plug | Socket, deps: CouplingDeps): Result {
  const { suspendReason } = suspended.spec;
  const message = `${describeObject(suspended)} is suspended${suspendReason === undefined ? "" : `: ${suspendReason}`}`;
  return pause(attempt, "Suspended", message, deps);
}

/** The operator has stopped working in the namespace of the socket: that the socket is not seen says nothing about it. */
export function stayWithHidden(attempt: PlugAttempt, socket: SocketName, deps: CouplingDeps): Result {
  return pause(attempt, "SocketNotWatched", describeHidden(socket), deps);
}

/** Does nothing for now. A coupled plug stays coupled, and its message says why nothing happens. */
function pause(
  { plug, session, memory, status }: PlugAttempt,
  reason: "Suspended" | "SocketNotWatched",
  message: string,
  deps: CouplingDeps,
): Result {
  deps.roster.stopWaiting(session.key);
  if (isCoupled(memory.pairing) && isCoupledTrue(plug)) {
    reportPlug(status, plug, "CouplingSucceeded", `coupling succeeded; ${message}`);
  } else {
    reportPlug(status, plug, reason, message);
  }
  return done;
}
