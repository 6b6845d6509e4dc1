import type { TrackedStatus } from "#runtime";
import { examineSocket } from "../admission/examine-socket.ts";
import { plugsCoupled, type SocketReason, socketReasons } from "../kinds/conditions.ts";
import { deletionPolicyOf } from "../kinds/pair.ts";
import type { ObjectIdentity } from "../kinds/shared-status.ts";
import type { Socket } from "../kinds/socket.ts";

/** All that there is to say of a socket that was created. The failure of a plug is not the socket's. */
export function reportSocket(
  status: TrackedStatus,
  socket: Socket,
  plugs: readonly ObjectIdentity[],
  holders: () => readonly string[],
): void {
  status.set({
    coupledPlugs: plugs.length === 0 ? undefined : plugs,
    coupledPlugsCount: plugs.length,
    lastError: undefined,
  });
  const problem = examineSocket(socket);
  if (problem) {
    sayCoupled(status, "Error", socketReasons.Error.message, "Failed");
    status.setCondition({ type: "Failed", status: "True", reason: "Error", message: problem.message });
    status.stalled("Error", problem);
    return;
  }
  status.removeCondition("Failed");
  if (socket.metadata.deletionTimestamp !== undefined) {
    const message = deletionMessage(socket, holders());
    sayCoupled(status, "SocketDeleting", message, "Decoupling");
    status.waiting("SocketDeleting", message);
    return;
  }
  const { suspend = false, suspendReason } = socket.spec;
  const suspended = `suspended${suspendReason === undefined ? "" : `: ${suspendReason}`}`;
  const count = plugsCoupled(plugs.length);
  const message = suspend ? `${count}; ${suspended}` : count;
  if (plugs.length > 0) sayCoupled(status, "SocketCoupled", message, "Coupled");
  else sayCoupled(status, suspend ? "Suspended" : "SocketEmpty", message, "Waiting");
  status.ready(message);
}

/** The stage `created` or `deleted` of the socket itself failed. */
export function reportSocketFailure(
  status: TrackedStatus,
  message: string,
  lastError: object,
  isForUser: boolean,
): void {
  if (isForUser) status.stalled("Error", message);
  else status.failed("Error", message);
  status.setCondition({ type: "Failed", status: "True", reason: "Error", message });
  status.set({ phase: "Failed", lastError });
}

/** The stage `created` or `deleted` of the socket itself waits for its apparatus. */
export function reportSocketWait(status: TrackedStatus, message: string, isCreated: boolean): void {
  sayCoupled(status, "WaitingForApparatus", message, isCreated ? "Decoupling" : "Pending");
  status.removeCondition("Failed");
  status.waiting("WaitingForApparatus", message);
}

const mostNames = 5;

function deletionMessage(socket: Socket, holders: readonly string[]): string {
  const wait =
    deletionPolicyOf(socket) === "Block"
      ? "the socket is in use, and its deletion policy is Block; delete or move"
      : "waiting for";
  const names = holders.toSorted();
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : "";
  return `${wait} ${names.length === 1 ? "plug" : "plugs"} ${names.slice(0, mostNames).join(", ")}${more}`;
}

function sayCoupled(status: TrackedStatus, reason: SocketReason, message: string, phase: string): void {
  status.setCondition({ type: "Coupled", status: socketReasons[reason].status, reason, message });
  status.set({ phase });
}
