import { isRecord } from "#base";
import { explainForbidden, type KubeObject } from "#kube";

/** The state of a plug or a socket, read from its status without checks. */
export interface CoupledState {
  readonly object: KubeObject;
  /** One word: the phase, or `Deleting`, `Empty` for a socket without plugs, `New` before its first reconciliation. */
  readonly state: string;
  /** The reason of the condition `Coupled`. */
  readonly reason: string | undefined;
  /** Why it is not coupled, for humans. */
  readonly message: string | undefined;
  /** Why it is coupled and nevertheless not ready: an object that it waits for is not. */
  readonly notReady: string | undefined;
  /** Since when it is, or is not, coupled. */
  readonly since: string | undefined;
  readonly isCoupled: boolean;
  readonly isDeleting: boolean;
  readonly hasFailed: boolean;
  /** The user must change something. */
  readonly isStalled: boolean;
  readonly attempts: number | undefined;
  readonly retryAt: string | undefined;
  /** The side whose half of a stage failed. */
  readonly failedSide: string | undefined;
  /** The Role that would allow what a service account was denied, as YAML. */
  readonly role: string | undefined;
  /** The socket that a plug names, as `namespace/name`. */
  readonly target: string | undefined;
  /** The socket that a plug is still coupled to, or was last, if it is another one. */
  readonly leaves: string | undefined;
}

/** Reads the state of any object, also if it does not fit its schema. */
export function readCoupledState(object: KubeObject): CoupledState {
  const status = asRecord(object["status"]);
  const spec = asRecord(object["spec"]);
  const conditions = asRecords(status["conditions"]);
  const find = (type: string) => conditions.find((condition) => condition["type"] === type);
  const [coupled, failed, stalled, ready] = [find("Coupled"), find("Failed"), find("Stalled"), find("Ready")];
  const isUnready = ready?.["status"] === "False" && /^Resource(?:Failed|NotReady)$/.test(String(ready["reason"]));
  const lastError = asRecord(status["lastError"]);
  const hasFailed = failed?.["status"] === "True";
  const isDeleting = object.metadata.deletionTimestamp !== undefined;
  const reason = asString(coupled?.["reason"]);
  const target = socketKey(spec["socket"], object.metadata.namespace);
  const paired = socketKey(asRecord(status["pairing"])["socket"], object.metadata.namespace);
  return {
    object,
    state: isDeleting ? "Deleting" : reason === "SocketEmpty" ? "Empty" : (asString(status["phase"]) ?? "New"),
    reason,
    message: asString((hasFailed ? failed : coupled)?.["message"]),
    notReady: isUnready ? asString(ready["message"]) : undefined,
    since:
      object.metadata.deletionTimestamp ??
      asString(lastError["since"]) ??
      asString(coupled?.["lastTransitionTime"]) ??
      object.metadata.creationTimestamp,
    isCoupled: coupled?.["status"] === "True",
    isDeleting,
    hasFailed,
    isStalled: stalled?.["status"] === "True",
    attempts: asNumber(lastError["attempts"]),
    retryAt: asString(lastError["retryAt"]),
    failedSide: asString(lastError["side"]),
    role: hasFailed ? roleFor(asString(failed["message"]) ?? "") : undefined,
    target,
    leaves: paired === target ? undefined : paired,
  };
}

/** Objects are written by server-side apply, which needs `create` as well. */
const applying = { method: "PATCH", path: "/", contentType: "application/apply-patch+yaml" } as const;

/** The Role that a message about missing rights asks for, with its binding, as YAML for `kubectl apply -f -`. */
export function roleFor(message: string): string | undefined {
  return explainForbidden(message, applying)?.manifests;
}

function socketKey(value: unknown, namespace: string | undefined): string | undefined {
  const socket = asRecord(value);
  const name = asString(socket["name"]);
  return name === undefined ? undefined : `${asString(socket["namespace"]) || namespace}/${name}`;
}

/** What a plug or socket waits for; undefined if nothing. */
export function describeWait(state: CoupledState): string | undefined {
  const { reason, message, target, hasFailed, isCoupled, isDeleting } = state;
  if (hasFailed || isDeleting) return message;
  if (state.notReady !== undefined) return state.notReady;
  if (isCoupled || reason === "SocketEmpty" || reason === "SocketCreated") return undefined;
  if (target !== undefined && reason === "SocketNotCreated") {
    return message?.startsWith(`Socket ${target}: `) ? message : `Socket ${target}`;
  }
  if (target !== undefined && reason === "LimitReached") return `a free slot on Socket ${target}`;
  return message ?? "the operator";
}

/** Where the operator has seen a socket of that name. */
function elsewhere(message = ""): string {
  const [, hint] = /; (there is one of that name in [^:]+):/.exec(message) ?? [];
  return hint === undefined ? "" : `: ${hint}`;
}

/** What the user should do about a plug; undefined if nothing. `tenon` is how to call Tenon. */
export function advisePlug(state: CoupledState, tenon = "tenon"): string | undefined {
  const { reason, object } = state;
  const key = `${object.metadata.namespace}/${object.metadata.name}`;
  if (state.isDeleting) {
    return state.hasFailed ? `fix the error, or give up: ${tenon} couple release plug/${key}` : undefined;
  }
  if (state.hasFailed && state.failedSide === "socket") {
    return `ask the owner of Socket ${state.target ?? state.leaves} to fix it, then run: ${tenon} couple retry ${key}`;
  }
  if (state.hasFailed && reason === undefined) return `fix the error, or retry now: ${tenon} couple retry ${key}`;
  if (state.notReady !== undefined) return "see the Events and the log of that object";
  switch (reason) {
    case undefined:
      if (state.hasFailed) return "fix the error; Tenon then retries at once";
      return `not reconciled yet: is \`${tenon} run --only couple\` running?`;
    case "SocketNotCreated":
      if (state.target === undefined) return "set spec.socket.name";
      return state.message?.startsWith(`Socket ${state.target}: `)
        ? `see what the socket waits for: ${tenon} get sockets ${state.target}`
        : `create the socket, or correct spec.socket${elsewhere(state.message)}`;
    case "LimitReached":
      return "delete or move another plug, or ask the socket's owner to raise spec.limit";
    case "NamespaceNotAllowed":
      return "ask the socket's owner to allow it: spec.allowedPlugs, spec.validation";
    case "InterfaceMismatch":
      return "correct spec.interfaceName, or use another socket";
    case "WaitingForApparatus":
      return "see the pod's log and Events; Tenon continues as soon as the apparatus responds";
    case "WaitingForResult":
      return `see why the object is missing: ${tenon} explain plug/${key}`;
    case "SocketDeleting":
      return "use another socket, or wait for a new one";
    case "Suspended":
      return "set spec.suspend to false, on the side that is suspended";
    case "Error":
    case "ApplyConflict":
      return state.isStalled
        ? `fix the error; Tenon then retries at once, or run: ${tenon} couple retry ${key}`
        : `wait, or retry now: ${tenon} couple retry ${key}`;
    default:
      return undefined;
  }
}

/** What the user should do about a socket; undefined if nothing. `tenon` is how to call Tenon. */
export function adviseSocket(state: CoupledState, tenon = "tenon"): string | undefined {
  const { reason, object } = state;
  const key = `${object.metadata.namespace}/${object.metadata.name}`;
  if (state.isDeleting) return `delete or move its plugs, or give up: ${tenon} couple release socket/${key}`;
  if (state.hasFailed) {
    const retry = `${tenon} couple retry socket/${key}`;
    return state.isStalled
      ? `fix the error; until then no plug is admitted. Retry now: ${retry}`
      : `wait, or retry now: ${retry}`;
  }
  if (reason === undefined) return `not reconciled yet: is \`${tenon} run --only couple\` running?`;
  if (reason === "WaitingForApparatus") {
    return "see the pod's log and Events; Tenon continues as soon as the apparatus responds";
  }
  return reason === "Suspended" ? "set spec.suspend to false" : undefined;
}

/** Objects are read without a schema, because users ask most about those that do not fit theirs. */
export type UnknownRecord = Readonly<Record<string, unknown>>;

export function asRecord(value: unknown): UnknownRecord {
  return isRecord(value) ? value : {};
}

export function asRecords(value: unknown): UnknownRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
