import { InputError, isRecord } from "#base";
import type { KubeObject, OwnerReference } from "#kube";
import { EphemeralClaim, EphemeralClass, ownerKinds, SpaceRequest, viewClaim } from "#promotion";
import type { RequestKind } from "./environment-commands.ts";

const kinds = { EphemeralClaim, SpaceRequest } as const;

/** The kinds that the cluster must have. */
export function kindsOfRequest(kind: RequestKind) {
  return kind === "SpaceRequest" ? [SpaceRequest] : [EphemeralClass, EphemeralClaim];
}

export function refOfRequest(kind: RequestKind, key: { readonly namespace: string; readonly name: string }) {
  const { apiVersion } = kinds[kind];
  return { apiVersion, kind, ...key };
}

interface Wish {
  readonly className: string;
  readonly ttl?: string | undefined;
}

export function specOfRequest(kind: RequestKind, { className, ttl }: Wish): object {
  if (kind === "EphemeralClaim") return { className, ...(ttl === undefined ? {} : { ttl }) };
  if (ttl === undefined) return { tierName: className };
  throw new InputError("a SpaceRequest has no time to live", {
    where: "--ttl",
    next: "leave it out: the class says how long a space lives",
  });
}

/** `KIND/NAME/UID` of the run that an environment is for; Kubernetes deletes what it owns with it. */
export function parseOwner(text: string): OwnerReference {
  const [kind = "", name = "", uid = "", ...rest] = text.split("/");
  const apiVersion = Object.entries(ownerKinds).find(([known]) => known === kind)?.[1];
  if (apiVersion !== undefined && name !== "" && uid !== "" && rest.length === 0)
    return { apiVersion, kind, name, uid };
  throw new InputError(`expected KIND/NAME/UID, got ${JSON.stringify(text)}`, {
    where: "--owner",
    next: `name a ${Object.keys(ownerKinds).join(", ")} of the namespace, such as PipelineRun/e2e/0b3c6a52`,
  });
}

/** How far it is. */
export interface RequestedEnvironment {
  readonly state: "waiting" | "usable" | "ended";
  readonly message?: string | undefined;
  readonly environment?: string | undefined;
  readonly secret?: string | undefined;
  readonly expiresAt?: string | undefined;
}

export function viewRequest(object: KubeObject): RequestedEnvironment {
  if (object.kind === "SpaceRequest") return viewSpace(object);
  const { phase, message, next, environment, secret, expiresAt } = viewClaim(object);
  const hasEnded = phase === "Failed" || phase === "Released";
  const state = phase === "Ready" ? "usable" : hasEnded ? "ended" : "waiting";
  return { state, message: message ?? next, environment, secret, expiresAt };
}

/** Reasons of a space that is on its way; all others are the end of it. */
const underway = new Set<string | undefined>(["Provisioning", "InvalidSpec", undefined]);

function viewSpace(object: KubeObject): RequestedEnvironment {
  const { status } = SpaceRequest.parse(object);
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const [access] = status?.namespaceAccess ?? [];
  const message =
    ready?.message ??
    "Tenon has not looked at it yet; check that `tenon run --only promote --promote environments` runs";
  if (ready?.status === "True" && access)
    return { state: "usable", environment: access.name, secret: access.secretRef };
  return { state: underway.has(ready?.reason) ? "waiting" : "ended", message };
}

/** Whether this object was made for this run, as when its task is tried again. */
export function wasMadeForRun({ metadata }: KubeObject, owner: OwnerReference | undefined): boolean {
  const references = Array.isArray(metadata.ownerReferences) ? metadata.ownerReferences.filter(isRecord) : [];
  return owner !== undefined && references.some(({ uid }) => uid === owner.uid);
}
