import { isNewerVersion, keyOf, type KubeObject, type ObjectStore, type Reflector } from "#kube";

/**
 * Objects as we know them last: as a reflector has them, or as the server answered to a write of ours that the reflector has
 * not heard of yet. Who looked at the store only would do again what it has just done.
 */
export class FreshStore {
  readonly #store: ObjectStore;
  readonly #written = new Map<string, KubeObject>();
  readonly #released = new Map<string, string>();

  constructor({ store, subscribe }: Pick<Reflector, "store" | "subscribe">) {
    this.#store = store;
    // Whoever does not ask again must not keep what was written for ever.
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

  /** An answer of the server to a write. */
  note(object: KubeObject): void {
    this.#written.set(keyOf(object), object);
  }

  /** We have let it go for good: it counts as gone, whatever the reflector has heard and others still do with it. */
  release({ metadata: { uid = "" } }: KubeObject, key: string): void {
    this.#written.delete(key);
    this.#released.set(key, uid);
  }

  /** Those that an index of the store lists, each as it is known last. */
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
