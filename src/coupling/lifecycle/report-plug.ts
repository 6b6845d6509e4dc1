import type { TrackedStatus } from "#runtime";
import { type PlugReason, plugReasons } from "../kinds/conditions.ts";
import type { Plug } from "../kinds/plug.ts";
import type { Phase } from "../kinds/shared-status.ts";

const phaseOf: Readonly<Record<PlugReason, Phase>> = {
  PlugCreated: "Pending",
  SocketNotCreated: "Waiting",
  LimitReached: "Waiting",
  NamespaceNotAllowed: "Waiting",
  InterfaceMismatch: "Waiting",
  SocketDeleting: "Waiting",
  Suspended: "Waiting",
  CouplingInProcess: "Coupling",
  WaitingForResult: "Coupling",
  WaitingForApparatus: "Coupling",
  CouplingSucceeded: "Coupled",
  UpdatingInProcess: "Updating",
  Decoupling: "Decoupling",
  Error: "Failed",
  ApplyConflict: "Failed",
};

/** Says how far a plug is, in the words of `Coupled` and in those of kstatus. Nothing has failed. */
export function reportPlug(
  status: TrackedStatus,
  { spec }: Plug,
  reason: PlugReason,
  message: string = plugReasons[reason].message,
): void {
  const phase = phaseOf[reason];
  status.setCondition({ type: "Coupled", status: plugReasons[reason].status, reason, message });
  status.removeCondition("Failed");
  status.set({ phase, lastError: undefined });
  const isContent = phase === "Coupled" || (phase === "Waiting" && spec.optional === true);
  if (isContent) status.ready(message);
  else status.waiting(reason, message);
}

/** Only the conditions and phase of a failure; what is remembered stays. Before `created` is done, `Coupled` is not there. */
export function reportPlugFailure(
  status: TrackedStatus,
  reason: "Error" | "ApplyConflict",
  message: string,
  isCreated: boolean,
): void {
  if (isCreated) {
    status.setCondition({ type: "Coupled", status: "False", reason, message: plugReasons[reason].message });
  } else {
    status.removeCondition("Coupled");
  }
  status.setCondition({ type: "Failed", status: "True", reason: "Error", message });
  status.set({ phase: phaseOf[reason] });
}
