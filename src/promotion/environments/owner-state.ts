import { isRecord } from "#base";
import { describeRef, type KubeObject, type ObjectRef } from "#kube";
import { type EphemeralClaim, ownerKinds, type OwnerKindName } from "../kinds/ephemeral-claim.ts";
import { type OwnerState, epochOf } from "./decide-end.ts";

/** What a claim says that it is for. */
export interface ClaimOwner extends ObjectRef {
  readonly kind: OwnerKindName;
  readonly uid?: string;
}

function isOwnerKind(kind: string): kind is OwnerKindName {
  return Object.hasOwn(ownerKinds, kind);
}

/** The run that a claim names, or else the first of its owners that is one. It is always in the namespace of the claim. */
export function findOwner({ metadata, spec }: Pick<EphemeralClaim, "metadata" | "spec">): ClaimOwner | undefined {
  const { namespace = "", ownerReferences } = metadata;
  const hint = spec.ownerRef;
  if (hint) {
    const { kind, name, uid } = hint;
    return { apiVersion: ownerKinds[kind], kind, namespace, name, ...(uid === undefined ? {} : { uid }) };
  }
  for (const reference of Array.isArray(ownerReferences) ? ownerReferences.filter(isRecord) : []) {
    const [apiVersion, kind, name, uid] = ["apiVersion", "kind", "name", "uid"].map((field) =>
      String(reference[field]),
    );
    if (apiVersion === undefined || kind === undefined || name === undefined || uid === undefined) continue;
    if (isOwnerKind(kind) && groupOf(apiVersion) === groupOf(ownerKinds[kind])) {
      return { apiVersion: ownerKinds[kind], kind, namespace, name, uid };
    }
  }
  return undefined;
}

function groupOf(apiVersion: string): string {
  return apiVersion.replace(/\/.*$/, "");
}

/** Whether a run has ended, and when. `object` is undefined if there is none of that name. */
export function readOwnerState(owner: ClaimOwner, object: KubeObject | undefined): OwnerState {
  const what = describeRef(owner);
  if (!object || (owner.uid !== undefined && object.metadata.uid !== owner.uid)) return { kind: "gone", what };
  const last = endingConditions[owner.kind];
  const status = isRecord(object["status"]) ? object["status"] : {};
  const conditions = Array.isArray(status["conditions"]) ? status["conditions"].filter(isRecord) : [];
  const ended = conditions.find(last);
  if (!ended) return { kind: "running" };
  const at = status["completionTime"] ?? ended["lastTransitionTime"];
  return { kind: "ended", what, at: (typeof at === "string" ? epochOf(at) : undefined) ?? 0 };
}

type IsEnding = (condition: Readonly<Record<string, unknown>>) => boolean;
const hasSucceededOrFailed: IsEnding = ({ type, status }) =>
  type === "Succeeded" && (status === "True" || status === "False");
const endingConditions: Readonly<Record<OwnerKindName, IsEnding>> = {
  PipelineRun: hasSucceededOrFailed,
  TaskRun: hasSucceededOrFailed,
  Job: ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
};

/** What a cache of runs needs to keep. */
export function keepOwnerState({ apiVersion, kind, metadata, status }: KubeObject): KubeObject {
  const { conditions, completionTime } = isRecord(status) ? status : {};
  const { name, namespace = "", uid = "", resourceVersion = "" } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, resourceVersion },
    status: { conditions, completionTime },
  };
}
