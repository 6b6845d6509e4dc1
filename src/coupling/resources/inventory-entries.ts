import type { CouplingEntry, Side } from "../kinds/index.ts";
import type { RenderedAction, ResourcePhase } from "./render-resources.ts";

/** The objects that exist after the actions, each once. */
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

/** Identifies an object, whatever its API version. */
export function entryKey({
  group,
  kind,
  namespace = "",
  name,
}: Pick<CouplingEntry, "group" | "kind" | "namespace" | "name">): string {
  return `${group}/${kind}/${namespace}/${name}`;
}

/** Whether decoupling deletes the object; objects of `created` live until `deleted`. */
export function isOfPairing({ stage }: CouplingEntry): boolean {
  return stage !== "created" && stage !== "deleted";
}

/** The objects of a side that are no longer rendered. Objects that only `coupled` creates are not stale after an update. */
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
 * Merges both lists, each object once; the later entry wins. A planned entry keeps the uid of an existing one, and that it must
 * not be deleted.
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

/** What a plug wants an object to be that other plugs of its socket may have, too. */
export interface ContentWish {
  /** What all plugs of the socket have in common. */
  readonly basis: string;
  /** A hash of the rendered object. */
  readonly content: string;
}

/** The uid of a plug, or of a socket for its own stages, and its inventory. */
export type Claim = readonly [plugUid: string, entries: readonly CouplingEntry[]];

/**
 * Which plugs and sockets claim which objects: an object of several pairings is deleted with the last of them. It starts with the
 * inventories in their status, and is updated before every change.
 */
export class Claims {
  readonly #byPlug = new Map<string, Set<string>>();
  readonly #holders = new Map<string, Set<string>>();
  readonly #working = new Map<string, Promise<void>>();
  readonly #wishes = new Map<string, Map<string, ContentWish>>();
  readonly #refused = new Map<string, Set<string>>();
  readonly #onFreed: (plugUid: string) => void;
  #recall: (() => Iterable<Claim>) | undefined;

  /**
   * `recall` is called at the first use, when the reflectors have synced. `onFreed` is called with a plug that was refused an
   * object, when another plug has given up its claim.
   */
  constructor(recall: () => Iterable<Claim> = () => [], onFreed: (plugUid: string) => void = () => {}) {
    this.#recall = recall;
    this.#onFreed = onFreed;
  }

  /** Everything that a plug created, or is about to create. */
  set(plugUid: string, entries: readonly CouplingEntry[]): void {
    this.#load();
    const keys = new Set(entries.map(entryKey));
    for (const key of this.#byPlug.get(plugUid) ?? []) if (!keys.has(key)) this.#drop(key, plugUid);
    this.#byPlug.set(plugUid, keys);
    for (const key of keys) {
      const holders = this.#holders.get(key);
      if (holders) holders.add(plugUid);
      else this.#holders.set(key, new Set([plugUid]));
    }
  }

  /** The plug no longer exists. */
  release(plugUid: string): void {
    this.#load();
    for (const key of this.#byPlug.get(plugUid) ?? []) this.#drop(key, plugUid);
    this.#byPlug.delete(plugUid);
  }

  /** To be called before the plug deletes an object: of several plugs that do so at once, the last one finds no other claim. */
  giveUp(entry: CouplingEntry, plugUid: string): void {
    this.#load();
    const key = entryKey(entry);
    if (this.#byPlug.get(plugUid)?.delete(key)) this.#drop(key, plugUid);
  }

  /** Records what a plug wants an object to be. Returns the other plugs with a claim, and their wishes as far as they are known. */
  wish(
    entry: CouplingEntry,
    plugUid: string,
    wish: ContentWish,
  ): readonly (readonly [plugUid: string, wish: ContentWish | undefined])[] {
    this.#load();
    const key = entryKey(entry);
    const wishes = this.#wishes.get(key) ?? new Map<string, ContentWish>();
    this.#wishes.set(key, wishes.set(plugUid, wish));
    const others = [...(this.#holders.get(key) ?? [])].filter((holder) => holder !== plugUid);
    return others.map((holder) => [holder, wishes.get(holder)] as const);
  }

  /** The plug does not get an object, because others want another content. */
  refuse(entry: CouplingEntry, plugUid: string): void {
    const key = entryKey(entry);
    const refused = this.#refused.get(key) ?? new Set();
    this.#refused.set(key, refused.add(plugUid));
  }

  /** The plugs and sockets that claim an object. */
  holdersOf(key: string): Iterable<string> {
    this.#load();
    return this.#holders.get(key) ?? [];
  }

  isHeldByOthers(entry: CouplingEntry, plugUid: string): boolean {
    this.#load();
    const holders = this.#holders.get(entryKey(entry));
    return holders !== undefined && holders.size > (holders.has(plugUid) ? 1 : 0);
  }

  /** Runs one task at a time for each object, so that no plug applies what another is about to delete. */
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
    const wishes = this.#wishes.get(key);
    wishes?.delete(plugUid);
    if (wishes?.size === 0) this.#wishes.delete(key);
    const refused = this.#refused.get(key);
    if (!refused) return;
    this.#refused.delete(key);
    for (const uid of refused) if (uid !== plugUid) this.#onFreed(uid);
  }

  #load(): void {
    const recall = this.#recall;
    this.#recall = undefined;
    for (const [plugUid, entries] of recall?.() ?? []) this.set(plugUid, entries);
  }
}
