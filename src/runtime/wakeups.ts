import type { KubeObject, ObjectStore, StoreChange } from "#kube";
import type { ControllerSource } from "./controller-source.ts";

const nothing: ObjectStore = {
  size: 0,
  get: () => undefined,
  keys: () => [],
  list: () => [],
  byIndex: () => [],
};

/** A source of keys that must be reconciled for reasons that no reflector reports. */
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
