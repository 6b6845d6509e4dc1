import type { KubeObject, ObjectStore, StoreChange } from "#kube";
import type { ControllerSource } from "#runtime";

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
