import type { TrackedStatus } from "#runtime";
import { findOpenSecrets } from "../admission/find-open-secrets.ts";
import { examineSocket } from "../admission/refuse-plug.ts";
import {
  deletionPolicyOf,
  type ObjectIdentity,
  type Phase,
  type Plug,
  type PlugReason,
  plugReasons,
  plugsCoupled,
  type Socket,
  type SocketReason,
  socketReasons,
} from "../kinds/index.ts";
import { briefOf, type CouplingFailure } from "./coupling-failure.ts";

const phaseOf: Readonly<Record<PlugReason, Phase>> = {
  PlugCreated: "Pending",
  SocketNotCreated: "Waiting",
  SocketNotWatched: "Waiting",
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

/** Reasons that do not pass by themselves: a user must change the plug or its socket. */
const needUserChange: ReadonlySet<PlugReason> = new Set([
  "InterfaceMismatch",
  "NamespaceNotAllowed",
  "SocketNotWatched",
]);

/** Reports the progress of a plug, as `Coupled` and as the conditions of kstatus. Nothing has failed. */
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
  const isWithoutSocket = reason === "SocketNotCreated" && spec.socket === undefined;
  if (isContent) status.ready(message);
  else if (needUserChange.has(reason) || isWithoutSocket) status.stalled(reason, message);
  else status.waiting(reason, message);
}

/** An object with `waitFor` that is not ready. */
export interface UnreadyObject {
  readonly message: string;
  readonly hasFailed: boolean;
  /** The plug or socket is not ready either. */
  readonly isRequired: boolean;
}

/** A coupled plug, and what of its objects is not ready. */
export function reportCoupled(status: TrackedStatus, plug: Plug, unready: readonly UnreadyObject[]): void {
  reportPlug(status, plug, "CouplingSucceeded", withUnready(plugReasons.CouplingSucceeded.message, unready));
  reportUnready(status, unready);
}

const mostUnready = 5;

function withUnready(message: string, unready: readonly UnreadyObject[]): string {
  if (unready.length === 0) return message;
  const more = unready.length > mostUnready ? `; and ${unready.length - mostUnready} more` : "";
  const shown = unready.slice(0, mostUnready).map((each) => each.message);
  return `${message}; not ready: ${shown.join("; ")}${more}`;
}

/** What is required and not ready makes its owner not ready. */
function reportUnready(status: TrackedStatus, unready: readonly UnreadyObject[]): void {
  const required = unready.filter(({ isRequired }) => isRequired);
  const failed = required.find(({ hasFailed }) => hasFailed);
  if (failed) status.stalled("ResourceFailed", failed.message);
  else if (required[0]) status.waiting("ResourceNotReady", required[0].message);
}

/** How far an object was when it failed: an object that is not valid before `created` has no `Coupled`. */
export type FailedAt = "before created" | "created" | "later";

export function failedAt(stage: string | undefined, isCreated: boolean): FailedAt {
  if (isCreated) return "later";
  return stage === "created" ? "created" : "before created";
}

/** Sets the conditions and phase of a failure, and keeps the rest. `Failed` alone has the whole message. */
export function reportPlugFailure(status: TrackedStatus, failure: CouplingFailure, at: FailedAt): void {
  const { reason } = failure;
  const brief = briefOf(failure);
  setFailedCoupled(status, reason, at === "created" ? brief : plugReasons[reason].message, at);
  setFailed(status, failure, brief);
  status.set({ phase: phaseOf[reason] });
}

function setFailed(
  status: TrackedStatus,
  { reason, message, isForUser }: Pick<CouplingFailure, "reason" | "message" | "isForUser">,
  brief: string,
): void {
  if (isForUser) status.stalled(reason, brief);
  else status.failed(reason, brief);
  status.setCondition({ type: "Failed", status: "True", reason: "Error", message });
}

/** The whole status of a created socket. A failure of a plug does not affect it. */
export function reportSocket(
  status: TrackedStatus,
  socket: Socket,
  plugs: readonly ObjectIdentity[],
  holders: () => readonly string[],
  unready: readonly UnreadyObject[],
): void {
  status.set({
    coupledPlugs: plugs.length === 0 ? undefined : plugs,
    coupledPlugsCount: plugs.length,
    lastError: undefined,
  });
  const open = findOpenSecrets(socket);
  if (open === undefined) status.removeCondition("Exposed");
  else status.setCondition({ type: "Exposed", status: "True", reason: "OpenToAllNamespaces", message: open });
  const problem = examineSocket(socket);
  if (problem) {
    setCoupled(status, "Error", socketReasons.Error.message, "Failed");
    setFailed(
      status,
      { reason: "Error", message: problem.message, isForUser: true },
      "it admits no plug; see the condition Failed",
    );
    return;
  }
  status.removeCondition("Failed");
  if (socket.metadata.deletionTimestamp !== undefined) {
    const message = deletionMessage(socket, holders());
    setCoupled(status, "SocketDeleting", message, "Decoupling");
    status.waiting("SocketDeleting", message);
    return;
  }
  const { suspend = false, suspendReason } = socket.spec;
  const suspended = `suspended${suspendReason === undefined ? "" : `: ${suspendReason}`}`;
  const count = plugsCoupled(plugs.length);
  const message = withUnready(suspend ? `${count}; ${suspended}` : count, unready);
  if (plugs.length > 0) setCoupled(status, "SocketCoupled", message, "Coupled");
  else setCoupled(status, suspend ? "Suspended" : "SocketEmpty", message, "Waiting");
  status.ready(message);
  reportUnready(status, unready);
}

function setFailedCoupled(
  status: TrackedStatus,
  reason: "Error" | "ApplyConflict",
  message: string,
  at: FailedAt,
): void {
  if (at === "before created") status.removeCondition("Coupled");
  else status.setCondition({ type: "Coupled", status: "False", reason, message });
}

/** The stage `created` or `deleted` of the socket itself failed. */
export function reportSocketFailure(
  status: TrackedStatus,
  failure: CouplingFailure,
  lastError: object,
  at: FailedAt,
): void {
  // The side is the socket itself.
  const brief = briefOf({ stage: failure.stage });
  if (at !== "later") setFailedCoupled(status, "Error", brief, at);
  setFailed(status, { ...failure, reason: "Error" }, brief);
  status.set({ phase: "Failed", lastError });
}

/** The stage `created` or `deleted` of the socket itself waits for its apparatus. */
export function reportSocketWait(status: TrackedStatus, message: string, isCreated: boolean): void {
  setCoupled(status, "WaitingForApparatus", message, isCreated ? "Decoupling" : "Pending");
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

function setCoupled(status: TrackedStatus, reason: SocketReason, message: string, phase: string): void {
  status.setCondition({ type: "Coupled", status: socketReasons[reason].status, reason, message });
  status.set({ phase });
}
