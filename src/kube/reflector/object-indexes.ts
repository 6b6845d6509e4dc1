import type { KubeObject } from "../client/object.ts";

/** The index values of an object; must return the same values each time for the same object. */
export type Indexer = (object: KubeObject) => readonly string[];

/** Finds keys of objects by their index values. */
export class ObjectIndexes {
  readonly #indexers: readonly (readonly [string, Indexer])[];
  readonly #keys: ReadonlyMap<string, Map<string, Set<string>>>;
  readonly #onError: (index: string, error: unknown) => void;

  constructor(indexers: Readonly<Record<string, Indexer>>, onError: (index: string, error: unknown) => void) {
    this.#indexers = Object.entries(indexers);
    this.#keys = new Map(this.#indexers.map(([name]) => [name, new Map()]));
    this.#onError = onError;
  }

  add(key: string, object: KubeObject): void {
    for (const [name, indexer] of this.#indexers) {
      const index = this.#index(name);
      for (const value of this.#valuesOf(name, indexer, object)) {
        const keys = index.get(value);
        if (keys) keys.add(key);
        else index.set(value, new Set([key]));
      }
    }
  }

  delete(key: string, object: KubeObject): void {
    for (const [name, indexer] of this.#indexers) {
      const index = this.#index(name);
      for (const value of this.#valuesOf(name, indexer, object)) {
        const keys = index.get(value);
        if (keys?.delete(key) && keys.size === 0) index.delete(value);
      }
    }
  }

  keysOf(name: string, value: string): Iterable<string> {
    return this.#index(name).get(value) ?? [];
  }

  #index(name: string): Map<string, Set<string>> {
    const index = this.#keys.get(name);
    if (index) return index;
    throw new Error(`index ${name} not found; the indexes are: ${[...this.#keys.keys()].join(", ") || "none"}`);
  }

  /** If an indexer fails, the object is kept but cannot be found by that index. */
  #valuesOf(name: string, indexer: Indexer, object: KubeObject): readonly string[] {
    try {
      return indexer(object);
    } catch (error) {
      this.#onError(name, error);
      return [];
    }
  }
}
