import type { KubeObject } from "../client/object.ts";

/** The index values of an object; must return the same values each time for the same object. */
export type Indexer = (object: KubeObject) => readonly string[];

/** Finds keys of objects by their index values. */
export class ObjectIndexes {
  readonly #indexers: readonly (readonly [string, Indexer])[];
  /** A single key is kept without a Set around it, because most indexes have a value for each object. */
  readonly #keys: ReadonlyMap<string, Map<string, string | Set<string>>>;
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
        if (keys === undefined) index.set(value, key);
        else if (typeof keys !== "string") keys.add(key);
        else if (keys !== key) index.set(value, new Set([keys, key]));
      }
    }
  }

  delete(key: string, object: KubeObject): void {
    for (const [name, indexer] of this.#indexers) {
      const index = this.#index(name);
      for (const value of this.#valuesOf(name, indexer, object)) {
        const keys = index.get(value);
        if (keys === key) index.delete(value);
        else if (keys instanceof Set && keys.delete(key) && keys.size === 0) index.delete(value);
      }
    }
  }

  keysOf(name: string, value: string): Iterable<string> {
    const keys = this.#index(name).get(value) ?? [];
    return typeof keys === "string" ? [keys] : keys;
  }

  #index(name: string): Map<string, string | Set<string>> {
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
