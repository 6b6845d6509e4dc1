import { type KubeObject, keyOf, type StoreChange } from "#kube";
import type { ControllerSource } from "#runtime";

/**
 * A reflector that tells only of changes of what is looked at: most changes of a plug or a socket are our own writes of its
 * status, which tell us nothing. What is new or gone is always told. Somebody else runs the reflector.
 */
export function relevantChanges(
  reflector: ControllerSource["reflector"],
  lookAt: (object: KubeObject) => unknown,
): ControllerSource["reflector"] {
  const look = (object: KubeObject): string => JSON.stringify([object.metadata.uid, lookAt(object)]);
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
      const seen = new Map(reflector.store.list().map((object) => [keyOf(object), look(object)]));
      const isNews = ({ type, key, object }: StoreChange): boolean => {
        if (type === "deleted") {
          seen.delete(key);
          return true;
        }
        const now = look(object);
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
export function ownersWishes({ metadata }: KubeObject): unknown {
  const { generation, deletionTimestamp, annotations } = metadata;
  return [generation, deletionTimestamp, annotations];
}
