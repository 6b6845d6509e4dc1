import type { Clock } from "#base";
import { keyOf, type KubeObject } from "#kube";
import type { FreshStore } from "#runtime";
import { type ObjectIdentity, parseSocket } from "../kinds/index.ts";
import { byPairing, bySocket, byUid } from "./coupling-deps.ts";
import { conditionOf, hasPairing } from "./unparsed-objects.ts";

interface Gathering {
  readonly clock: Clock;
  /** After this time without a new plug, the write starts. */
  readonly silenceMs: () => number;
  readonly longestMs: number;
}

export interface RosterOptions {
  /** Writes the socket's status with this list, if it changed. */
  readonly write: (socketUid: string, plugs: readonly ObjectIdentity[]) => Promise<void>;
  /** Undefined: the socket no longer exists. */
  readonly recall: (socketUid: string) => Recalled | undefined;
  /** How long a write waits for plugs that are about to join; without it, not at all. */
  readonly gathering?: Gathering;
  /** There may be a place for the plug with this key. */
  readonly onPlace: (plugKey: string) => void;
  /** A plug has left the socket; for a socket that is being deleted, also a plug that had only reserved a place. */
  readonly onLeft: (socketUid: string) => void;
}

/**
 * Knows which plug is on which socket, and is the only writer of the sockets' status: plugs that join while a write is in flight
 * are written together by the next one, so that a hundred plugs cost a few writes.
 */
export class Roster {
  readonly #options: RosterOptions;
  readonly #rosters = new Map<string, SocketRoster>();
  /** The socket that a plug waits for, by the plug's key. */
  readonly #waitsFor = new Map<string, string>();

  constructor(options: RosterOptions) {
    this.#options = options;
  }

  /** Takes a place, if there is one; oldest first. Without a limit there is always one. */
  admit(socketUid: string, plug: KubeObject, limit: number): "admitted" | "full" | "closed" {
    const roster = this.#roster(socketUid);
    const { uid = "", creationTimestamp = "" } = plug.metadata;
    const key = keyOf(plug);
    this.stopWaiting(key, socketUid);
    if (roster.held.has(uid)) return "admitted";
    if (roster.isClosing) return "closed";
    const isBefore = ([other, since]: readonly [string, string]): boolean =>
      other !== key && comesBefore([since, other], [creationTimestamp, key]);
    if (limit > 0 && placesTaken(roster) + [...roster.waiting].filter(isBefore).length >= limit) {
      roster.waiting.set(key, creationTimestamp);
      this.#waitsFor.set(key, socketUid);
      return "full";
    }
    roster.waiting.delete(key);
    this.#waitsFor.delete(key);
    roster.held.set(uid, this.#now());
    return "admitted";
  }

  /** Gives back a place before the plug has changed anything. */
  cancel(socketUid: string, plugUid: string): void {
    const roster = this.#rosters.get(socketUid);
    if (!roster?.held.delete(plugUid)) return;
    roster.leaving.delete(plugUid);
    if (roster.isClosing) this.#options.onLeft(socketUid);
    this.#offerPlace(roster);
  }

  /** The plug is being deleted: it no longer counts against the limit, but the socket waits for it. */
  vacate(socketUid: string, plugUid: string): void {
    const roster = this.#roster(socketUid);
    if (!roster.held.has(plugUid) || roster.leaving.has(plugUid)) return;
    roster.leaving.add(plugUid);
    this.#offerPlace(roster);
  }

  /** Resolves when the socket's status lists the plug. */
  async join(socketUid: string, plug: ObjectIdentity): Promise<void> {
    const roster = this.#roster(socketUid);
    const now = this.#now();
    const since = roster.held.get(plug.uid) ?? now;
    roster.held.set(plug.uid, since);
    if (!roster.listed.has(plug.uid)) {
      roster.listed.set(plug.uid, plug);
      roster.travelMs = now - since;
      this.#change(roster);
    }
    if (roster.written < roster.changes) await this.write(socketUid);
  }

  /** Gives the place up, and resolves when the socket's status no longer lists the plug. */
  async leave(socketUid: string, plugUid: string): Promise<void> {
    const roster = this.#roster(socketUid);
    if (roster.listed.delete(plugUid)) this.#change(roster);
    if (roster.written < roster.changes) await this.write(socketUid);
    if (!roster.held.delete(plugUid)) return;
    this.#options.onLeft(socketUid);
    if (!roster.leaving.delete(plugUid)) this.#offerPlace(roster);
  }

  /** The plug no longer exists, on whichever socket it was. */
  async drop(plugUid: string): Promise<void> {
    const on = [...this.#rosters].filter(([, roster]) => roster.held.has(plugUid) || roster.listed.has(plugUid));
    await Promise.all(on.map(([socketUid]) => this.leave(socketUid, plugUid)));
  }

  /** The plug no longer waits, except for the socket `butFor`: it was deleted, moved, or refused for another reason. */
  stopWaiting(plugKey: string, butFor?: string): void {
    const socketUid = this.#waitsFor.get(plugKey);
    if (socketUid === undefined || socketUid === butFor) return;
    this.#waitsFor.delete(plugKey);
    const roster = this.#rosters.get(socketUid);
    if (roster?.waiting.delete(plugKey)) this.#offerPlace(roster);
  }

  /** The uids of the plugs that hold a place. */
  held(socketUid: string): Pick<ReadonlySet<string>, "has"> {
    return this.#roster(socketUid).held;
  }

  /** The number of places that count against the limit. */
  taken(socketUid: string): number {
    return placesTaken(this.#roster(socketUid));
  }

  /** Whether the socket's own status lists the plug, or is about to. */
  isListed(socketUid: string, plugUid: string): boolean {
    return this.#roster(socketUid).listed.has(plugUid);
  }

  /** From now on no plug is admitted; false while a plug holds a place. */
  close(socketUid: string): boolean {
    const roster = this.#roster(socketUid);
    roster.isClosing = true;
    return roster.held.size === 0;
  }

  /** The socket no longer exists. */
  forget(socketUid: string): void {
    this.#rosters.delete(socketUid);
  }

  /** Writes the socket's status with the list at the start of the write. */
  write(socketUid: string): Promise<void> {
    const roster = this.#roster(socketUid);
    roster.queued ??= roster.running
      .catch(() => {}) // its own waiters got the error
      .then(() => this.#gather(roster))
      .then(() => {
        roster.queued = undefined;
        roster.running = this.#write(socketUid, roster);
        return roster.running;
      });
    return roster.queued;
  }

  /** Waits while plugs that hold a place keep joining; plugs whose coupling takes long join less often. */
  async #gather(roster: SocketRoster): Promise<void> {
    const { gathering } = this.#options;
    if (!gathering) return;
    const { clock, silenceMs, longestMs } = gathering;
    const end = clock.monotonic() + longestMs;
    for (let seen = -1; seen !== roster.changes && roster.held.size > roster.listed.size; ) {
      seen = roster.changes;
      const waitMs = Math.min(Math.max(silenceMs(), roster.travelMs / 4), end - clock.monotonic());
      if (waitMs <= 0) return;
      await nextChange(roster, clock, waitMs);
    }
  }

  #now(): number {
    return this.#options.gathering?.clock.monotonic() ?? 0;
  }

  #change(roster: SocketRoster): void {
    roster.changes++;
    roster.onChange?.();
  }

  async #write(socketUid: string, roster: SocketRoster): Promise<void> {
    const { changes } = roster;
    await this.#options.write(socketUid, [...roster.listed.values()]);
    roster.written = changes;
  }

  /** Wakes the oldest waiting plug; if it does not take the place, the next one is woken. */
  #offerPlace(roster: SocketRoster): void {
    const [first] = [...roster.waiting].toSorted(([one, since], [other, sinceOther]) =>
      comesBefore([since, one], [sinceOther, other]) ? -1 : 1,
    );
    if (first) this.#options.onPlace(first[0]);
  }

  #roster(socketUid: string): SocketRoster {
    const known = this.#rosters.get(socketUid);
    if (known) return known;
    const recalled = this.#options.recall(socketUid);
    const roster = openRoster(recalled, this.#now());
    if (!recalled) return roster; // not kept: it would never be forgotten
    this.#rosters.set(socketUid, roster);
    for (const key of roster.waiting.keys()) this.#waitsFor.set(key, socketUid);
    return roster;
  }
}

/** The plugs of one socket: coupled, about to be, or waiting. */
interface SocketRoster {
  /** When each plug got its place, by uid: held from before its first stage to after its last. */
  readonly held: Map<string, number>;
  /** The plugs of `held` that are being deleted: the socket waits for them, but they do not count against the limit. */
  readonly leaving: Set<string>;
  /** The plugs that the socket's status should list, by uid. */
  readonly listed: Map<string, ObjectIdentity>;
  /** The creation time of each plug without a place, by key. */
  readonly waiting: Map<string, string>;
  /** The socket is being deleted, or no longer exists: it admits no plug. */
  isClosing: boolean;
  /** How often `listed` has changed, and up to which change it is written. */
  changes: number;
  written: number;
  running: Promise<void>;
  queued: Promise<void> | undefined;
  /** Called at the next change of `listed`. */
  onChange: (() => void) | undefined;
  /** How long the last plug took from its place to the list. */
  travelMs: number;
}

/** The state of a socket as the cluster has it. */
interface Recalled {
  /** The uids of the plugs that are paired with it. */
  readonly held: Iterable<string>;
  /** The plugs that its status lists. */
  readonly listed: readonly ObjectIdentity[];
  /** The plugs with the reason `LimitReached`. */
  readonly waiting: Iterable<KubeObject>;
}

/** From the state in the cluster; undefined for a socket that no longer exists. */
function openRoster(recalled: Recalled | undefined, now: number): SocketRoster {
  const { held, listed, waiting } = recalled ?? { held: [], listed: [], waiting: [] };
  const holders = new Map([...held].map((uid) => [uid, now]));
  const alive = listed.filter(({ uid }) => holders.has(uid));
  return {
    held: holders,
    leaving: new Set(),
    listed: new Map(alive.map((plug) => [plug.uid, plug])),
    waiting: new Map([...waiting].map((plug) => [keyOf(plug), plug.metadata.creationTimestamp ?? ""])),
    isClosing: recalled === undefined,
    changes: alive.length === listed.length ? 0 : 1,
    written: 0,
    running: Promise.resolve(),
    queued: undefined,
    onChange: undefined,
    travelMs: 0,
  };
}

function placesTaken({ held, leaving }: SocketRoster): number {
  return held.size - leaving.size;
}

async function nextChange(roster: SocketRoster, clock: Clock, longestMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  using _ = clock.after(longestMs, resolve);
  roster.onChange = resolve;
  await promise;
  roster.onChange = undefined;
}

/** By creation time, and within the same second by name. */
function comesBefore(one: readonly [string, string], other: readonly [string, string]): boolean {
  return one[0] === other[0] ? one[1] < other[1] : one[0] < other[0];
}

/**
 * Reads from the cluster which plugs are on a socket, and which wait for a place. A plug that integration-operator coupled counts
 * only if the socket lists it, too: else the plug's own reconciliation would never free the place.
 */
export function recallRoster(
  socketUid: string,
  plugs: Pick<FreshStore, "byIndex">,
  sockets: Pick<FreshStore, "byIndex">,
): Recalled | undefined {
  const [socket] = sockets.byIndex(byUid, socketUid);
  if (!socket) return undefined;
  const { status } = parseSocket(socket);
  const listed = status?.coupledPlugs ?? [];
  const listedUids = new Set(listed.map(({ uid }) => uid));
  const held = plugs
    .byIndex(byPairing, socketUid)
    .filter((plug) => hasPairing(plug) || listedUids.has(plug.metadata.uid ?? ""))
    .map(({ metadata }) => metadata.uid ?? "");
  const waiting = plugs
    .byIndex(bySocket, keyOf(socket))
    .filter((plug) => conditionOf(plug, "Coupled")?.["reason"] === "LimitReached");
  return { held, listed, waiting };
}
