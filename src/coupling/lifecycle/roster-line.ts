import type { Clock } from "#base";
import { type KubeObject, keyOf } from "#kube";
import type { ObjectIdentity } from "../kinds/shared-status.ts";

/** Who is coupled to a socket, or about to be. */
export interface Line {
  /** Holders of a place, by uid: from before their first stage to after their last. And when they got it. */
  readonly held: Map<string, number>;
  /** Of these, those that are being deleted: they keep the socket, but nobody out. */
  readonly leaving: Set<string>;
  /** Those that the socket's status shall list, by uid. */
  readonly listed: Map<string, ObjectIdentity>;
  /** Those that found no place, by key, and since when they exist. */
  readonly waiting: Map<string, string>;
  /** The socket is being deleted, or gone: it takes nobody any more. */
  isClosing: boolean;
  /** How often `listed` has changed, and up to which change it is written. */
  changes: number;
  written: number;
  running: Promise<void>;
  queued: Promise<void> | undefined;
  /** Who waits for the next change of `listed`. */
  onChange: (() => void) | undefined;
  /** How long the last one that came was on its way. */
  travelMs: number;
}

/** What the cluster remembers of a socket. */
export interface Recalled {
  /** The uids of the plugs that are paired with it. */
  readonly held: Iterable<string>;
  /** Those that its status lists. */
  readonly listed: readonly ObjectIdentity[];
  /** The plugs that were told that there is no place. */
  readonly waiting: Iterable<KubeObject>;
}

/** As the cluster remembers it; without a memory, of a socket that is gone. */
export function openLine(recalled: Recalled | undefined, now: number): Line {
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

export function placesTaken({ held, leaving }: Line): number {
  return held.size - leaving.size;
}

export async function nextChange(line: Line, clock: Clock, longestMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  using _ = clock.after(longestMs, resolve);
  line.onChange = resolve;
  await promise;
  line.onChange = undefined;
}

/** Of the same second, by name: an order, whichever. */
export function comesBefore(one: readonly [string, string], other: readonly [string, string]): boolean {
  return one[0] === other[0] ? one[1] < other[1] : one[0] < other[0];
}
