import { type KubeObject, keyOf } from "../client/object.ts";
import { type Indexer, ObjectIndexes } from "./object-indexes.ts";

/** The objects that a reflector keeps. They are shared by all readers: never change one. */
export interface ObjectStore {
  readonly size: number;
  /** By `namespace/name`, or `name` for a cluster-scoped object. */
  get(key: string): KubeObject | undefined;
  keys(): Iterable<string>;
  list(): KubeObject[];
  /** Throws when there is no index of that name. */
  byIndex(index: string, value: string): KubeObject[];
}

export interface ObjectChange {
  readonly type: "added" | "changed" | "deleted";
  readonly key: string;
  /** For `deleted`, its last known state. */
  readonly object: KubeObject;
}

/** The write side of the store, for its reflector. Each change is announced after it was made. */
export interface WritableObjectStore extends ObjectStore {
  /** Ignores an object with the same uid and version as the stored one. */
  put(object: KubeObject): void;
  delete(key: string, last?: KubeObject): void;
}

export interface ObjectStoreOptions {
  readonly onChange: (change: ObjectChange) => void;
  readonly indexers?: Readonly<Record<string, Indexer>>;
  readonly onIndexerError?: (index: string, error: unknown) => void;
}

export function createObjectStore(options: ObjectStoreOptions): WritableObjectStore {
  const { onChange, indexers = {}, onIndexerError = () => {} } = options;
  const objects = new Map<string, KubeObject>();
  const indexes = new ObjectIndexes(indexers, onIndexerError);

  function keep(key: string, object: KubeObject, before: KubeObject | undefined): void {
    if (before) indexes.delete(key, before);
    objects.set(key, object);
    indexes.add(key, object);
    onChange({ type: before ? "changed" : "added", key, object });
  }

  function remove(key: string, before: KubeObject, last: KubeObject): void {
    objects.delete(key);
    indexes.delete(key, before);
    onChange({ type: "deleted", key, object: last });
  }

  return {
    get size() {
      return objects.size;
    },
    get: (key) => objects.get(key),
    keys: () => objects.keys(),
    list: () => [...objects.values()],
    byIndex: (index, value) => [...indexes.keysOf(index, value)].flatMap((key) => objects.get(key) ?? []),
    put(object) {
      const key = keyOf(object);
      const before = objects.get(key);
      if (before && isSameVersion(before, object)) return;
      if (!before || before.metadata.uid === object.metadata.uid) {
        keep(key, object, before);
        return;
      }
      remove(key, before, before);
      keep(key, object, undefined);
    },
    delete(key, last) {
      const before = objects.get(key);
      if (before) remove(key, before, last ?? before);
    },
  };
}

function isSameVersion({ metadata: one }: KubeObject, { metadata: other }: KubeObject): boolean {
  return one.uid === other.uid && one.resourceVersion === other.resourceVersion;
}
