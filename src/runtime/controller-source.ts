import type { Logger } from "#base";
import { keyOf, type KubeObject, type ObjectStore, type Reflector, type StoreChange } from "#kube";
import type { Priority } from "./ready-queue.ts";

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

interface FollowOptions {
  readonly sources: readonly ControllerSource[];
  readonly add: (key: string, priority: Priority) => void;
  readonly onMappingError: () => void;
  readonly log: Logger;
}

/** Adds the keys of what is there already, in the background, and from then on of what changes. */
export function followSources({ sources, ...options }: FollowOptions): Disposable {
  const subscriptions = new DisposableStack();
  for (const source of sources) subscriptions.use(followSource(source, options));
  return subscriptions;
}

function followSource({ reflector, keysOf }: ControllerSource, options: Omit<FollowOptions, "sources">): Disposable {
  const { add, onMappingError, log } = options;
  /** Where an object pointed before it changed: who lost it must hear of it too. */
  const before = new Map<string, readonly string[]>();

  function map(object: KubeObject, objectKey: string): readonly string[] {
    if (!keysOf) return [objectKey];
    try {
      return [...keysOf(object)];
    } catch (error) {
      onMappingError();
      log.error("cannot tell the keys of a change", { kind: object.kind, object: objectKey, error });
      return [];
    }
  }

  function tell(object: KubeObject, objectKey: string, isDeleted: boolean, priority: Priority): void {
    const keys = map(object, objectKey);
    for (const key of new Set([...keys, ...(before.get(objectKey) ?? [])])) add(key, priority);
    if (isDeleted || !keysOf || keys.length === 0) before.delete(objectKey);
    else before.set(objectKey, keys);
  }

  const subscription = reflector.subscribe(({ type, key, object, isInitial }: StoreChange) =>
    tell(object, key, type === "deleted", isInitial ? "background" : "live"),
  );
  for (const object of reflector.store.list()) tell(object, keyOf(object), false, "background");
  return subscription;
}
