import type { KubeObject } from "#kube";
import { numberOf, recordOf, recordsOf, textOf } from "./unknown-value.ts";

/** How far a plug or a socket is, as its status says; nothing of it has been checked by anybody else. */
export interface CoupledState {
  readonly object: KubeObject;
  /** One word: the phase, or `Deleting`, `Empty` for a socket without plugs, `New` while nobody has looked at it. */
  readonly state: string;
  /** Of the condition `Coupled`. */
  readonly reason: string | undefined;
  /** Why it is not coupled, for people. */
  readonly message: string | undefined;
  /** Since when it is, or is not, coupled. */
  readonly since: string | undefined;
  readonly isCoupled: boolean;
  readonly isDeleting: boolean;
  readonly hasFailed: boolean;
  /** Somebody must change something. */
  readonly isStalled: boolean;
  readonly attempts: number | undefined;
  readonly retryAt: string | undefined;
  /** The socket that a plug asks for, as `namespace/name`. */
  readonly target: string | undefined;
  /** The socket that a plug is on, or was on last, if it is another one. */
  readonly leaves: string | undefined;
}

/** What an object says of itself, whatever else is in it. */
export function readState(object: KubeObject): CoupledState {
  const status = recordOf(object["status"]);
  const spec = recordOf(object["spec"]);
  const conditions = recordsOf(status["conditions"]);
  const find = (type: string) => conditions.find((condition) => condition["type"] === type);
  const [coupled, failed, stalled] = [find("Coupled"), find("Failed"), find("Stalled")];
  const lastError = recordOf(status["lastError"]);
  const hasFailed = failed?.["status"] === "True";
  const isDeleting = object.metadata.deletionTimestamp !== undefined;
  const reason = textOf(coupled?.["reason"]);
  const target = socketKey(spec["socket"], object.metadata.namespace);
  const paired = socketKey(recordOf(status["pairing"])["socket"], object.metadata.namespace);
  return {
    object,
    state: isDeleting ? "Deleting" : reason === "SocketEmpty" ? "Empty" : (textOf(status["phase"]) ?? "New"),
    reason,
    message: textOf((hasFailed ? failed : coupled)?.["message"]),
    since:
      object.metadata.deletionTimestamp ??
      textOf(lastError["since"]) ??
      textOf(coupled?.["lastTransitionTime"]) ??
      object.metadata.creationTimestamp,
    isCoupled: coupled?.["status"] === "True",
    isDeleting,
    hasFailed,
    isStalled: stalled?.["status"] === "True",
    attempts: numberOf(lastError["attempts"]),
    retryAt: textOf(lastError["retryAt"]),
    target,
    leaves: paired === target ? undefined : paired,
  };
}

function socketKey(value: unknown, namespace: string | undefined): string | undefined {
  const socket = recordOf(value);
  const name = textOf(socket["name"]);
  return name === undefined ? undefined : `${textOf(socket["namespace"]) || namespace}/${name}`;
}
