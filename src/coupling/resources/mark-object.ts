import type { KubeObject, OwnerReference } from "#kube";
import { annotations, apiVersion, couplingFieldManager, labels, type Side } from "../kinds/names.ts";

/** Whose template an object is of, and for which pairing. */
export interface ObjectOrigin {
  readonly side: Side;
  readonly owner: {
    readonly kind: "Plug" | "Socket";
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
  };
  readonly plugUid?: string | undefined;
  readonly socketUid?: string | undefined;
}

/** Whose claim it is: the plug's that it is made for, or the socket's own. */
export function holderOf({ plugUid, owner }: ObjectOrigin): string {
  return plugUid ?? owner.uid;
}

/**
 * Puts our labels and the owner on an object. One that is to stay has no owner reference: the garbage collector would take it
 * along. Nor has one without a namespace, which an owner in a namespace cannot own.
 */
export function markObject(
  object: KubeObject,
  origin: ObjectOrigin,
  { isRetained }: { readonly isRetained: boolean },
): KubeObject {
  const { metadata } = object;
  const references = isRetained || metadata.namespace === undefined ? [] : [ownerReference(origin)];
  const ownerReferences = [...(metadata.ownerReferences ?? []), ...references];
  return {
    ...object,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...ownLabels(origin) },
      annotations: { ...metadata.annotations, [annotations.owner]: ownerName(origin) },
      ...(ownerReferences.length === 0 ? {} : { ownerReferences }),
    },
  };
}

/** Whether a plug or a socket, this one or another, has made a live object. */
export function isMarked({ metadata }: KubeObject): boolean {
  return metadata.labels?.[labels.managedBy] === couplingFieldManager && metadata.labels[labels.side] !== undefined;
}

/**
 * Whether a live object is one that this side made: for this pairing, or for an earlier plug or socket of the same name.
 * Objects of integration-operator have no labels; that its field manager has applied to them tells them.
 */
export function isOurs(live: KubeObject, origin: ObjectOrigin): boolean {
  const { plugUid, socketUid, side } = origin;
  const { metadata } = live;
  const own = metadata.labels ?? {};
  if (!isMarked(live)) {
    const managers = metadata.managedFields?.filter(({ subresource }) => subresource === undefined) ?? [];
    return own[labels.managedBy] === undefined && managers.length > 0 && managers.every(isByUpstream);
  }
  const [label, uid] = side === "plug" ? [labels.plugUid, plugUid] : [labels.socketUid, socketUid];
  return (
    (uid !== undefined && own[label] === uid && own[labels.side] === side) ||
    metadata.annotations?.[annotations.owner] === ownerName(origin)
  );
}

/** Whether a live object was made on this side for this pairing, and is to go with it. */
export function isMadeFor(live: KubeObject, { side, plugUid, socketUid, owner }: ObjectOrigin): boolean {
  const { labels: own = {}, ownerReferences = [] } = live.metadata;
  const isOfPair = own[labels.plugUid] === plugUid && own[labels.socketUid] === socketUid && own[labels.side] === side;
  return isMarked(live) && isOfPair && ownerReferences.some(({ uid }) => uid === owner.uid);
}

/** Whether nobody but us has had a hand in an object, so that it was our apply that made it. */
export function isMadeByUs({ metadata: { managedFields = [] } }: KubeObject): boolean {
  return managedFields.every(
    ({ manager, subresource }) => manager === couplingFieldManager || subresource !== undefined,
  );
}

/** Its owner has said that it may be treated as ours. */
export function isOfferedForAdoption({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[annotations.adopt] === "true";
}

/** The labels of what was made for a side. */
function ownLabels({ side, plugUid, socketUid }: ObjectOrigin): Readonly<Record<string, string>> {
  return {
    [labels.managedBy]: couplingFieldManager,
    [labels.side]: side,
    ...(plugUid === undefined ? {} : { [labels.plugUid]: plugUid }),
    ...(socketUid === undefined ? {} : { [labels.socketUid]: socketUid }),
  };
}

function isByUpstream({ manager, operation }: NonNullable<KubeObject["metadata"]["managedFields"]>[number]): boolean {
  return manager === couplingFieldManager && operation === "Apply";
}

function ownerName({ owner: { kind, namespace, name } }: ObjectOrigin): string {
  return `${kind}/${namespace}/${name}`;
}

function ownerReference({ owner: { kind, name, uid } }: ObjectOrigin): OwnerReference {
  return { apiVersion, kind, name, uid };
}
