import { type KubeObject, keyOf } from "../client/object.ts";
import { type Indexer, ObjectIndexes } from "./object-indexes.ts";

/** What a reflector keeps of the cluster. Objects are shared with everybody who reads: never change one. */
export interface ObjectStore {
  readonly size: number;
  /** By `namespace/name`, or `name` for an object of the cluster. */
  get(key: string): KubeObject | undefined;
  keys(): Iterable<string>;
  list(): KubeObject[];
  /** Throws when there is no index of that name. */
  byIndex(index: string, value: string): KubeObject[];
}

export interface ObjectChange {
  readonly type: "added" | "changed" | "deleted";
  readonly key: string;
  /** For `deleted`, the last that was known of it. */
  readonly object: KubeObject;
}

/** The side of the store that only its reflector sees. Each change is announced when it has been made. */
export interface WritableObjectStore extends ObjectStore {
  /** An object of the same uid and version as the kept one is no change, whatever else it says. */
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
