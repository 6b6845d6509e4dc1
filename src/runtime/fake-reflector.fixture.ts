import { type KubeObject, keyOf, type StoreChange } from "#kube";
import type { ControllerSource } from "./controller-source.ts";

/** A reflector whose changes the test makes. */
export class FakeReflector {
  readonly #objects = new Map<string, KubeObject>();
  readonly #listeners = new Set<(change: StoreChange) => void>();
  readonly #synced = Promise.withResolvers<void>();
  hasSynced = false;
  problem: string | undefined;

  readonly store: ControllerSource["reflector"]["store"];

  constructor() {
    const objects = this.#objects;
    this.store = {
      get size() {
        return objects.size;
      },
      get: (key) => objects.get(key),
      keys: () => objects.keys(),
      list: () => [...objects.values()],
      byIndex: (index, value) => [...objects.values()].filter(({ metadata }) => metadata.labels?.[index] === value),
    };
  }

  get subscribers(): number {
    return this.#listeners.size;
  }

  sync(): void {
    this.hasSynced = true;
    this.#synced.resolve();
  }

  put(object: KubeObject): void {
    const key = keyOf(object);
    const type = this.#objects.has(key) ? "changed" : "added";
    this.#objects.set(key, object);
    this.#announce({ type, key, object, isInitial: !this.hasSynced });
  }

  delete(key: string): void {
    const object = this.#objects.get(key);
    this.#objects.delete(key);
    if (object) this.#announce({ type: "deleted", key, object, isInitial: !this.hasSynced });
  }

  #announce(change: StoreChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    const aborted = new Promise<never>((_, reject) => {
      if (signal?.aborted) reject(signal.reason);
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    return Promise.race([this.#synced.promise, aborted]);
  }

  subscribe(listener: (change: StoreChange) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  run(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }
}

/** A ConfigMap with these labels and owners. */
export function fakeObject(name: string, metadata: Partial<KubeObject["metadata"]> = {}): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "shop", ...metadata } };
}
