import type { Logger } from "#base";
import { keyOf, type KubeObject, type ObjectStore, type Reflector, type StoreChange } from "#kube";
import type { Priority } from "./ready-queue.ts";

/** The keys to reconcile when an object changes. An error is logged and counted, and does not affect other changes. */
export type KeyMapping = (object: KubeObject) => Iterable<string>;

/** A reflector whose changes trigger reconciles, and how its objects map to keys. */
export interface ControllerSource {
  readonly reflector: Pick<Reflector, "store" | "hasSynced" | "problem" | "whenSynced" | "subscribe" | "run">;
  /** Default: the object's own key. */
  readonly keysOf?: KeyMapping;
  /** Of changes; default `live`. */
  readonly priority?: Priority;
}

export interface OwnerKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** The owner has no namespace. */
  readonly isClusterScoped?: boolean;
}

/** Maps an object to its owners of this kind. Versions are not compared: references may name an older one. */
export function mapToOwners({ apiVersion, kind, isClusterScoped = false }: OwnerKind): KeyMapping {
  return ({ metadata: { namespace, ownerReferences = [] } }) =>
    ownerReferences
      .filter((owner) => owner.kind === kind && groupOf(owner.apiVersion) === groupOf(apiVersion))
      .map(({ name }) => (isClusterScoped || namespace === undefined ? name : `${namespace}/${name}`));
}

/** Maps an object to the objects that refer to it: those that the store's index lists under its key. */
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

/** Adds the keys of existing objects with background priority, then the keys of each change. */
export function followSources({ sources, ...options }: FollowOptions): Disposable {
  const subscriptions = new DisposableStack();
  for (const source of sources) subscriptions.use(followSource(source, options));
  return subscriptions;
}

function followSource(
  { reflector, keysOf, priority = "live" }: ControllerSource,
  options: Omit<FollowOptions, "sources">,
): Disposable {
  const { add, onMappingError, log } = options;
  /** The keys that an object mapped to before. If a change removes one, that key must be reconciled too. */
  const before = new Map<string, readonly string[]>();

  function map(object: KubeObject, objectKey: string): readonly string[] {
    if (!keysOf) return [objectKey];
    try {
      return [...keysOf(object)];
    } catch (error) {
      onMappingError();
      log.error("cannot map a change to keys", { kind: object.kind, object: objectKey, error });
      return [];
    }
  }

  function enqueue(object: KubeObject, objectKey: string, isDeleted: boolean, urgency: Priority): void {
    const keys = map(object, objectKey);
    for (const key of new Set([...keys, ...(before.get(objectKey) ?? [])])) add(key, urgency);
    if (isDeleted || !keysOf || keys.length === 0) before.delete(objectKey);
    else before.set(objectKey, keys);
  }

  const subscription = reflector.subscribe(({ type, key, object, isInitial }: StoreChange) =>
    enqueue(object, key, type === "deleted", isInitial ? "background" : priority),
  );
  for (const object of reflector.store.list()) enqueue(object, keyOf(object), false, "background");
  return subscription;
}
