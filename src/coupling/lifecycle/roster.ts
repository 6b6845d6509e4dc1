import type { Clock } from "#base";
import { type KubeObject, keyOf } from "#kube";
import type { ObjectIdentity } from "../kinds/shared-status.ts";
import { comesBefore, type Line, nextChange, openLine, placesTaken, type Recalled } from "./roster-line.ts";

export interface Gathering {
  readonly clock: Clock;
  /** Nobody has come for so long: the others are held up by something. */
  readonly silenceMs: () => number;
  readonly longestMs: number;
}

export interface RosterOptions {
  /** Writes the socket's status; the list is all of it that it does not know. Nothing is written if nothing changed. */
  readonly write: (socketUid: string, plugs: readonly ObjectIdentity[]) => Promise<void>;
  /** Undefined: there is no such socket any more. */
  readonly recall: (socketUid: string) => Recalled | undefined;
  /** How a write waits for the plugs that are on their way to the socket, to take them along; without it, not at all. */
  readonly gathering?: Gathering;
  /** There may be a place for the plug with this key. */
  readonly onPlace: (plugKey: string) => void;
  /** A plug has left the socket; of one that is being deleted, also one that only was on its way. */
  readonly onLeft: (socketUid: string) => void;
}

/**
 * The one place that knows which plug is on which socket, and from which the sockets' status is written: joins that arrive
 * while a write is on its way go together in the next one, so that a hundred plugs cost a few writes.
 */
export class Roster {
  readonly #options: RosterOptions;
  readonly #lines = new Map<string, Line>();
  /** The socket that a plug waits for, by the plug's key. */
  readonly #waitsFor = new Map<string, string>();

  constructor(options: RosterOptions) {
    this.#options = options;
  }

  /** Takes a place, if there is one: those who exist longest come first. Without a limit there is always one. */
  admit(socketUid: string, plug: KubeObject, limit: number): "admitted" | "full" | "closed" {
    const line = this.#line(socketUid);
    const { uid = "", creationTimestamp = "" } = plug.metadata;
    const key = keyOf(plug);
    this.stopWaiting(key, socketUid);
    if (line.held.has(uid)) return "admitted";
    if (line.isClosing) return "closed";
    const isBefore = ([other, since]: readonly [string, string]): boolean =>
      other !== key && comesBefore([since, other], [creationTimestamp, key]);
    if (limit > 0 && placesTaken(line) + [...line.waiting].filter(isBefore).length >= limit) {
      line.waiting.set(key, creationTimestamp);
      this.#waitsFor.set(key, socketUid);
      return "full";
    }
    line.waiting.delete(key);
    this.#waitsFor.delete(key);
    line.held.set(uid, this.#now());
    return "admitted";
  }

  /** Gives back a place that nothing came of. */
  cancel(socketUid: string, plugUid: string): void {
    const line = this.#lines.get(socketUid);
    if (!line?.held.delete(plugUid)) return;
    line.leaving.delete(plugUid);
    if (line.isClosing) this.#options.onLeft(socketUid);
    this.#offerPlace(line);
  }

  /** The plug is being deleted: others may have its place, while it keeps the socket until it has left. */
  vacate(socketUid: string, plugUid: string): void {
    const line = this.#line(socketUid);
    if (!line.held.has(plugUid) || line.leaving.has(plugUid)) return;
    line.leaving.add(plugUid);
    this.#offerPlace(line);
  }

  /** Resolves when the socket's status lists the plug. */
  async join(socketUid: string, plug: ObjectIdentity): Promise<void> {
    const line = this.#line(socketUid);
    const now = this.#now();
    const since = line.held.get(plug.uid) ?? now;
    line.held.set(plug.uid, since);
    if (!line.listed.has(plug.uid)) {
      line.listed.set(plug.uid, plug);
      line.travelMs = now - since;
      this.#change(line);
    }
    if (line.written < line.changes) await this.write(socketUid);
  }

  /** Gives the place up, and resolves when the socket's status does not list the plug any more. */
  async leave(socketUid: string, plugUid: string): Promise<void> {
    const line = this.#line(socketUid);
    if (line.listed.delete(plugUid)) this.#change(line);
    if (line.written < line.changes) await this.write(socketUid);
    if (!line.held.delete(plugUid)) return;
    this.#options.onLeft(socketUid);
    if (!line.leaving.delete(plugUid)) this.#offerPlace(line);
  }

  /** The plug is gone, wherever it was. */
  async drop(plugUid: string): Promise<void> {
    const on = [...this.#lines].filter(([, line]) => line.held.has(plugUid) || line.listed.has(plugUid));
    await Promise.all(on.map(([socketUid]) => this.leave(socketUid, plugUid)));
  }

  /** Waits no longer, or for this socket only: deleted, moved, or refused for another reason. */
  stopWaiting(plugKey: string, butFor?: string): void {
    const socketUid = this.#waitsFor.get(plugKey);
    if (socketUid === undefined || socketUid === butFor) return;
    this.#waitsFor.delete(plugKey);
    const line = this.#lines.get(socketUid);
    if (line?.waiting.delete(plugKey)) this.#offerPlace(line);
  }

  /** The uids of the plugs that keep the socket. */
  held(socketUid: string): Pick<ReadonlySet<string>, "has"> {
    return this.#line(socketUid).held;
  }

  /** How many places are not free. */
  taken(socketUid: string): number {
    return placesTaken(this.#line(socketUid));
  }

  /** Whether the socket's own status lists the plug, or is about to. */
  isListed(socketUid: string, plugUid: string): boolean {
    return this.#line(socketUid).listed.has(plugUid);
  }

  /** From now on nobody is admitted; false while somebody is there. */
  close(socketUid: string): boolean {
    const line = this.#line(socketUid);
    line.isClosing = true;
    return line.held.size === 0;
  }

  /** The socket is gone. */
  forget(socketUid: string): void {
    this.#lines.delete(socketUid);
  }

  /** Writes the socket's status with what is known when the write begins. */
  write(socketUid: string): Promise<void> {
    const line = this.#line(socketUid);
    line.queued ??= line.running
      .catch(() => {}) // whoever waited for that one was told
      .then(() => this.#gather(line))
      .then(() => {
        line.queued = undefined;
        line.running = this.#write(socketUid, line);
        return line.running;
      });
    return line.queued;
  }

  /** Waits as long as others are on their way and one after another arrives; where the way is long, they come less often. */
  async #gather(line: Line): Promise<void> {
    const { gathering } = this.#options;
    if (!gathering) return;
    const { clock, silenceMs, longestMs } = gathering;
    const end = clock.monotonic() + longestMs;
    for (let seen = -1; seen !== line.changes && line.held.size > line.listed.size; ) {
      seen = line.changes;
      const waitMs = Math.min(Math.max(silenceMs(), line.travelMs / 4), end - clock.monotonic());
      if (waitMs <= 0) return;
      await nextChange(line, clock, waitMs);
    }
  }

  #now(): number {
    return this.#options.gathering?.clock.monotonic() ?? 0;
  }

  #change(line: Line): void {
    line.changes++;
    line.onChange?.();
  }

  async #write(socketUid: string, line: Line): Promise<void> {
    const { changes } = line;
    await this.#options.write(socketUid, [...line.listed.values()]);
    line.written = changes;
  }

  /** To the one that comes first; should it not take it, it says so, and the next one hears of it. */
  #offerPlace(line: Line): void {
    const [first] = [...line.waiting].toSorted(([one, since], [other, sinceOther]) =>
      comesBefore([since, one], [sinceOther, other]) ? -1 : 1,
    );
    if (first) this.#options.onPlace(first[0]);
  }

  #line(socketUid: string): Line {
    const known = this.#lines.get(socketUid);
    if (known) return known;
    const recalled = this.#options.recall(socketUid);
    const line = openLine(recalled, this.#now());
    if (!recalled) return line; // nobody would ever forget it
    this.#lines.set(socketUid, line);
    for (const key of line.waiting.keys()) this.#waitsFor.set(key, socketUid);
    return line;
  }
}
