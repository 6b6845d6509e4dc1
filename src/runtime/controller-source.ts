import { type KubeObject, keyOf, type ObjectStore, type Reflector } from "#kube";

/** The keys that must be looked at again when an object changes. What it throws is logged and hurts no other change. */
export type KeyMapping = (object: KubeObject) => Iterable<string>;

/** Where a controller hears of changes. */
export interface ControllerSource {
  readonly reflector: Pick<Reflector, "store" | "hasSynced" | "problem" | "whenSynced" | "subscribe" | "run">;
  /** Default: the object's own key. */
  readonly keysOf?: KeyMapping;
}

export interface OwnerKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** The owner is in no namespace. */
  readonly isClusterScoped?: boolean;
}

/** Maps an object to its owners of a kind, whatever the version of that kind its references name. */
export function mapToOwners({ apiVersion, kind, isClusterScoped = false }: OwnerKind): KeyMapping {
  return ({ metadata: { namespace, ownerReferences = [] } }) =>
    ownerReferences
      .filter((owner) => owner.kind === kind && groupOf(owner.apiVersion) === groupOf(apiVersion))
      .map(({ name }) => (isClusterScoped || namespace === undefined ? name : `${namespace}/${name}`));
}

/** Maps an object to those that a store's index lists under the object's key: whoever refers to it. */
export function mapToReferrers(store: ObjectStore, index: string): KeyMapping {
  return (object) => store.byIndex(index, keyOf(object)).map(keyOf);
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
}
