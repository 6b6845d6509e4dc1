import type { KubeObject, OwnerReference } from "#kube";
import { annotations, apiVersion, couplingFieldManager, labels, type Side } from "../kinds/index.ts";

/** The owner of the template of an object, and the pairing it is for. */
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

/** The holder of the claim: the plug of the pairing, or the socket itself. */
export function holderOf({ plugUid, owner }: ObjectOrigin): string {
  return plugUid ?? owner.uid;
}

/**
 * Adds our labels and the owner to an object. A retained object gets no owner reference, as the garbage collector would delete
 * it; nor does a cluster-scoped one, which a namespaced owner cannot own.
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

/** Whether any plug or socket created a live object. */
export function isMarked({ metadata }: KubeObject): boolean {
  return metadata.labels?.[labels.managedBy] === couplingFieldManager && metadata.labels[labels.side] !== undefined;
}

/**
 * Whether this side created a live object: for this pairing, or for an earlier plug or socket of the same name.
 * Objects of integration-operator have no labels; they are recognised by its field manager.
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

/** Whether this side created a live object for this pairing, to be deleted with it. */
export function isMadeFor(live: KubeObject, { side, plugUid, socketUid, owner }: ObjectOrigin): boolean {
  const { labels: own = {}, ownerReferences = [] } = live.metadata;
  const isOfPair = own[labels.plugUid] === plugUid && own[labels.socketUid] === socketUid && own[labels.side] === side;
  return isMarked(live) && isOfPair && ownerReferences.some(({ uid }) => uid === owner.uid);
}

/** Whether we are the only field manager of an object, so that our apply created it. */
export function isMadeByUs({ metadata: { managedFields = [] } }: KubeObject): boolean {
  return managedFields.every(
    ({ manager, subresource }) => manager === couplingFieldManager || subresource !== undefined,
  );
}

/** Whether its owner allows us to treat it as ours. */
export function isOfferedForAdoption({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[annotations.adopt] === "true";
}

/** The labels of a side's objects. */
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
