import { type AdmissionContext, examineSocket, refusePlug } from "./admission/refuse-plug.ts";
import { describeObject, type Pair, type PlugReason } from "./kinds/index.ts";

/** Why a plug would wait, although its values are valid. */
export interface PlannedRefusal {
  readonly reason: PlugReason;
  readonly message: string;
}

/** A plug that is already paired is not checked again. */
export function plannedRefusal(
  { plug, socket }: Pair,
  isPaired: boolean,
  context: AdmissionContext,
): PlannedRefusal | undefined {
  const suspended = [plug, socket].find(({ spec }) => spec.suspend);
  if (suspended) return { reason: "Suspended", message: `${describeObject(suspended)} is suspended` };
  if (socket.metadata.deletionTimestamp !== undefined) {
    return { reason: "SocketDeleting", message: `${describeObject(socket)} is being deleted` };
  }
  if (isPaired) return undefined;
  const problem = examineSocket(socket);
  if (problem) return { reason: "NamespaceNotAllowed", message: problem.message };
  return refusePlug(plug, socket, context);
}
