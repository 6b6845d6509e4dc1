import type { CouplingEntry } from "../kinds/shared-status.ts";
import { entryKey } from "./inventory-entries.ts";

/** Who has made what: the uid of a plug, or of a socket for its own stages, and its inventory. */
export type Claim = readonly [plugUid: string, entries: readonly CouplingEntry[]];

/**
 * Who has made what, of all plugs and sockets: an object that several pairings made goes with the last of them. It begins with
 * what their status remembers, and is told of every change before it is made.
 */
export class Claims {
  readonly #byPlug = new Map<string, Set<string>>();
  readonly #holders = new Map<string, Set<string>>();
  readonly #working = new Map<string, Promise<void>>();
  #recall: (() => Iterable<Claim>) | undefined;

  /** `recall` is asked with the first use: when the reflectors have synced. */
  constructor(recall: () => Iterable<Claim> = () => []) {
    this.#recall = recall;
  }

  /** All that a plug has made, or is about to. */
  set(plugUid: string, entries: readonly CouplingEntry[]): void {
    this.release(plugUid);
    const keys = new Set(entries.map(entryKey));
    this.#byPlug.set(plugUid, keys);
    for (const key of keys) {
      const holders = this.#holders.get(key);
      if (holders) holders.add(plugUid);
      else this.#holders.set(key, new Set([plugUid]));
    }
  }

  /** The plug is gone. */
  release(plugUid: string): void {
    this.#load();
    for (const key of this.#byPlug.get(plugUid) ?? []) this.#drop(key, plugUid);
    this.#byPlug.delete(plugUid);
  }

  /** Before the plug deletes an object: of several that do so at once, the last one finds it held by nobody. */
  giveUp(entry: CouplingEntry, plugUid: string): void {
    this.#load();
    const key = entryKey(entry);
    if (this.#byPlug.get(plugUid)?.delete(key)) this.#drop(key, plugUid);
  }

  isHeldByOthers(entry: CouplingEntry, plugUid: string): boolean {
    this.#load();
    const holders = this.#holders.get(entryKey(entry));
    return holders !== undefined && holders.size > (holders.has(plugUid) ? 1 : 0);
  }

  /** One at a time for each object, so that nobody applies what another has just decided to delete. */
  async exclusively<Value>(entry: CouplingEntry, work: () => Promise<Value>): Promise<Value> {
    const key = entryKey(entry);
    const before = this.#working.get(key);
    const ended = Promise.withResolvers<void>();
    this.#working.set(key, ended.promise);
    try {
      await before;
      return await work();
    } finally {
      ended.resolve();
      if (this.#working.get(key) === ended.promise) this.#working.delete(key);
    }
  }

  #drop(key: string, plugUid: string): void {
    const holders = this.#holders.get(key);
    holders?.delete(plugUid);
    if (holders?.size === 0) this.#holders.delete(key);
  }

  #load(): void {
    const recall = this.#recall;
    this.#recall = undefined;
    for (const [plugUid, entries] of recall?.() ?? []) this.set(plugUid, entries);
  }
}
