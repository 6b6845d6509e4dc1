import { keyOf, type KubeObject, type ObjectStore, type StoreChange } from "#kube";
import type { ControllerSource } from "#runtime";

/**
 * A reflector that tells only of changes of what is looked at: most changes of a plug or a socket are our own writes of its
 * status, which tell us nothing. What is new or gone is always told. Somebody else runs the reflector.
 */
export function filterChanges(
  reflector: ControllerSource["reflector"],
  read: (object: KubeObject) => unknown,
): ControllerSource["reflector"] {
  const digest = (object: KubeObject): string => JSON.stringify([object.metadata.uid, read(object)]);
  return {
    store: reflector.store,
    get hasSynced() {
      return reflector.hasSynced;
    },
    get problem() {
      return reflector.problem;
    },
    whenSynced: (signal) => reflector.whenSynced(signal),
    run: async () => {}, // a reflector runs once, and others look at it, too
    subscribe(listener) {
      const seen = new Map(reflector.store.list().map((object) => [keyOf(object), digest(object)]));
      const isNews = ({ type, key, object }: StoreChange): boolean => {
        if (type === "deleted") {
          seen.delete(key);
          return true;
        }
        const now = digest(object);
        if (seen.get(key) === now) return false;
        seen.set(key, now);
        return true;
      };
      return reflector.subscribe((change) => {
        if (isNews(change)) listener(change);
      });
    },
  };
}

/** What users change, and what deletion changes. */
export function userChanges({ metadata }: KubeObject): unknown {
  const { generation, deletionTimestamp, annotations } = metadata;
  return [generation, deletionTimestamp, annotations];
}

const nothing: ObjectStore = {
  size: 0,
  get: () => undefined,
  keys: () => [],
  list: () => [],
  byIndex: () => [],
};

/** A source that says what it is told: keys that must be looked at again for reasons no reflector sees. */
export class Wakeups {
  readonly #listeners = new Set<(change: StoreChange) => void>();

  /** `namespace/name`. */
  wake(key: string): void {
    const [namespace = "", name = ""] = key.split("/");
    const object: KubeObject = { apiVersion: "", kind: "", metadata: { namespace, name } };
    for (const tell of this.#listeners) tell({ type: "changed", key, object, isInitial: false });
  }

  get source(): ControllerSource {
    return {
      reflector: {
        store: nothing,
        hasSynced: true,
        problem: undefined,
        whenSynced: async () => {},
        run: async () => {},
        subscribe: (listener) => {
          this.#listeners.add(listener);
          return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
        },
      },
    };
  }
}
