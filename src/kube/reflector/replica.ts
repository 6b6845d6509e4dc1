import type { WatchEvent } from "../client/watch-events.ts";
import { type KubeObject, keyOf } from "../client/object.ts";
import type { WritableObjectStore } from "./object-store.ts";
import { isNewerVersion } from "./resource-version.ts";

type ObjectEvent = Exclude<WatchEvent, { readonly type: "BOOKMARK" }>;

/** A complete new state while it is being read. Objects that are not in it when it ends were deleted. */
export interface Replacement {
  put(object: KubeObject): void;
  apply(event: ObjectEvent): void;
  /** The state is complete and has this version. */
  end(resourceVersion: string): void;
}

/**
 * A store that follows one selection of the cluster's objects, and the version that it has reached.
 *
 * Lists and initial events are consistent reads and are accepted whatever their versions, because versions go back after a
 * restore of etcd from a backup. Each object is stored at once, so that its page can be released; if reading stops half
 * way, the next complete state corrects the store.
 */
export class Replica {
  readonly #store: WritableObjectStore;
  readonly #shape: (object: KubeObject) => KubeObject;
  #position: string | undefined;

  constructor(store: WritableObjectStore, shape: (object: KubeObject) => KubeObject) {
    this.#store = store;
    this.#shape = shape;
  }

  /** The version from which a watch can continue; undefined if the whole state must be read. */
  get position(): string | undefined {
    return this.#position;
  }

  /** The server no longer has the changes since our position. */
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
   * Events of one watch come in order, so one that is not newer than our position was applied before. An event older than
   * the stored object is ignored too; it occurs when the last pages of a list show a later state than the first.
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
