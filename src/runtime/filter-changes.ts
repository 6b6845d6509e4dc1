import { keyOf, type KubeObject, type StoreChange } from "#kube";
import type { ControllerSource } from "./controller-source.ts";

/**
 * A reflector that reports only changes of what `read` returns: most changes of an object are our own status writes.
 * New and deleted objects are always reported. The reflector itself is run elsewhere.
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
    run: async () => {}, // the shared reflector runs once
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

/** What users and deletion change: generation, deletion time, annotations. */
export function userChanges({ metadata }: KubeObject): unknown {
  const { generation, deletionTimestamp, annotations } = metadata;
  return [generation, deletionTimestamp, annotations];
}
