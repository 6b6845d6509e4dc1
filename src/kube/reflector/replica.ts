import type { WatchEvent } from "../client/watch-events.ts";
import { type KubeObject, keyOf } from "../client/object.ts";
import type { WritableObjectStore } from "./object-store.ts";
import { isNewerVersion } from "./resource-version.ts";

type ObjectEvent = Exclude<WatchEvent, { readonly type: "BOOKMARK" }>;

/** A whole new state on its way in; what is not in it when it ends is gone from the cluster. */
export interface Replacement {
  put(object: KubeObject): void;
  apply(event: ObjectEvent): void;
  /** The state is complete, and is that of this version. */
  end(resourceVersion: string): void;
}

/**
 * A store that follows one selection of the cluster's objects, and the version up to which it has.
 *
 * Lists and initial events are consistent reads and are believed whatever versions they carry: after etcd was restored
 * from a backup, versions do go back. Each object takes its place at once, so that a page can be released, and a state
 * that broke off half way leaves nothing that the next one would not put right.
 */
export class Replica {
  readonly #store: WritableObjectStore;
  readonly #shape: (object: KubeObject) => KubeObject;
  #position: string | undefined;

  constructor(store: WritableObjectStore, shape: (object: KubeObject) => KubeObject) {
    this.#store = store;
    this.#shape = shape;
  }

  /** Where a watch can go on; undefined when there is nowhere, and the state must be read anew. */
  get position(): string | undefined {
    return this.#position;
  }

  /** The server no longer knows what happened since our position. */
  losePosition(): void {
    this.#position = undefined;
  }

  replace(): Replacement {
    const unseen = new Set(this.#store.keys());
    const put = (object: KubeObject): void => {
      unseen.delete(keyOf(object));
      this.#put(object);
    };
    return {
      put,
      apply: (event) => {
        if (event.type === "DELETED") this.#delete(event.object);
        else put(event.object);
      },
      end: (resourceVersion) => {
        for (const key of unseen) this.#store.delete(key);
        this.#position = resourceVersion;
      },
    };
  }

  /**
   * Events of one watch come in order: one that does not come after our position was here before. Nor is one of use that
   * is older than the object kept, as happens when the last pages of a list show a later moment than the first.
   */
  apply(event: WatchEvent): void {
    const version = event.type === "BOOKMARK" ? event.resourceVersion : event.object.metadata.resourceVersion;
    if (version === undefined || !isAfter(version, this.#position)) return;
    this.#position = version;
    if (event.type === "BOOKMARK") return;
    const kept = this.#store.get(keyOf(event.object));
    if (!isAfter(version, kept?.metadata.resourceVersion)) return;
    if (event.type === "DELETED") this.#delete(event.object);
    else this.#put(event.object);
  }

  #delete(object: KubeObject): void {
    this.#store.delete(keyOf(object), this.#shape(object));
  }

  #put(object: KubeObject): void {
    this.#store.put(this.#shape(object));
  }
}

function isAfter(version: string, known: string | undefined): boolean {
  return known === undefined || isNewerVersion(version, known);
}
