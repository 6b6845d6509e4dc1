import type { Side } from "../kinds/names.ts";
import type { CouplingEntry } from "../kinds/shared-status.ts";
import type { RenderedAction, ResourcePhase } from "./render-resources.ts";

/** The objects that the actions leave behind, each once. */
export function inventoryOf(actions: readonly RenderedAction[]): CouplingEntry[] {
  const entries = new Map<string, CouplingEntry>();
  for (const action of actions) {
    const entry = entryOf(action);
    if (action.do === "delete") entries.delete(entryKey(entry));
    else entries.set(entryKey(entry), entry);
  }
  return [...entries.values()];
}

export function entryOf({ object, side, stage, isRetained, isOnce }: RenderedAction): CouplingEntry {
  const { apiVersion, kind, metadata } = object;
  const slash = apiVersion.indexOf("/");
  return {
    group: slash < 0 ? "" : apiVersion.slice(0, slash),
    version: apiVersion.slice(slash + 1),
    kind,
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    name: metadata.name,
    ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
    side,
    stage,
    ...(isRetained ? { retained: true } : {}),
    ...(isOnce ? { once: true } : {}),
  };
}

/** Tells objects apart, whatever the version they are read in. */
export function entryKey({
  group,
  kind,
  namespace = "",
  name,
}: Pick<CouplingEntry, "group" | "kind" | "namespace" | "name">): string {
  return `${group}/${kind}/${namespace}/${name}`;
}

/** What coupling and updating made, and decoupling removes; what `created` made stays until `deleted`. */
export function isOfPairing({ stage }: CouplingEntry): boolean {
  return stage !== "created" && stage !== "deleted";
}

/** What a side made before and does not make any more. What is made once is not made by updates, and stays all the same. */
export function staleEntries(
  before: readonly CouplingEntry[],
  after: readonly CouplingEntry[],
  side: Side,
  occasion: ResourcePhase,
): CouplingEntry[] {
  const wanted = new Set(after.map(entryKey));
  return before.filter(
    (entry) =>
      entry.side === side &&
      isOfPairing(entry) &&
      !wanted.has(entryKey(entry)) &&
      (occasion === "result") === (entry.stage === "result") &&
      !(occasion === "updated" && entry.once),
  );
}

/**
 * Both, each object once; what is known of it later wins. Of one that is only planned, it is not forgotten that it is there, and
 * that it is not ours to delete.
 */
export function mergeEntries(before: readonly CouplingEntry[], after: readonly CouplingEntry[]): CouplingEntry[] {
  const merged = new Map(before.map((entry) => [entryKey(entry), entry]));
  for (const entry of after) {
    const { uid, retained } = merged.get(entryKey(entry)) ?? {};
    const isOnlyPlanned = entry.uid === undefined && uid !== undefined;
    const more = isOnlyPlanned ? { uid, ...(retained ? { retained } : {}) } : {};
    merged.set(entryKey(entry), { ...entry, ...more });
  }
  return [...merged.values()];
}

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
