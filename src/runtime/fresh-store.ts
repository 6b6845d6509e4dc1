import { isNewerVersion, keyOf, type KubeObject, type ObjectStore, type Reflector, withoutManagedFields } from "#kube";

/**
 * A store that reads our own writes: an object as the reflector has it, or as the server returned it from a write that the
 * reflector has not received yet. With the reflector alone, a reconciler would repeat what it has just done.
 */
export class FreshStore {
  readonly #store: ObjectStore;
  readonly #written = new Map<string, KubeObject>();
  readonly #released = new Map<string, string>();

  constructor({ store, subscribe }: Pick<Reflector, "store" | "subscribe">) {
    this.#store = store;
    // Drops a write once the reflector has it, even if `get` is never called again.
    subscribe(({ key }) => void this.get(key));
  }

  get(key: string): KubeObject | undefined {
    const kept = this.#store.get(key);
    const released = this.#released.get(key);
    if (released !== undefined && kept?.metadata.uid === released) return undefined;
    this.#released.delete(key);
    const written = this.#written.get(key);
    if (!written) return kept;
    if (kept && isBehind(kept, written)) return written;
    this.#written.delete(key);
    return kept;
  }

  /** Records the server's answer to a write. Often the reflector is faster, and nothing needs to be kept. */
  note(object: KubeObject): void {
    const key = keyOf(object);
    const kept = this.#store.get(key);
    if (kept && !isBehind(kept, object)) this.#written.delete(key);
    else this.#written.set(key, withoutManagedFields(object));
  }

  /** We removed our finalizer: the object counts as deleted, whatever the reflector still reports. */
  release({ metadata: { uid = "" } }: KubeObject, key: string): void {
    this.#written.delete(key);
    this.#released.set(key, uid);
  }

  /** The objects of an index, each in its newest known version. */
  byIndex(index: string, value: string): KubeObject[] {
    return this.#store.byIndex(index, value).flatMap((object) => this.get(keyOf(object)) ?? []);
  }

  list(): KubeObject[] {
    return [...this.#store.keys()].flatMap((key) => this.get(key) ?? []);
  }
}

function isBehind({ metadata: kept }: KubeObject, { metadata: written }: KubeObject): boolean {
  return kept.uid === written.uid && isNewerVersion(written.resourceVersion ?? "0", kept.resourceVersion ?? "0");
}
