import type { Clock, Logger } from "#base";
import type { KubeClient, KubeObject } from "#kube";
import type { Side } from "../kinds/names.ts";
import type { SourceRef } from "../sources/resolved.ts";
import { isSignalled } from "./is-signalled.ts";
import { Watched } from "./watched.ts";

export interface InputsOptions {
  readonly wake: (plugKey: string) => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** Of one namespace: each takes a connection, of which there must be some left for everybody else. */
const mostWatches = 100;

/** Who reads the objects of a side. */
export interface Account {
  readonly user: string;
  readonly client: KubeClient;
}

/** An object that a plug has read, and by whom. */
interface Reading {
  readonly ref: SourceRef;
  readonly user: string;
}

/**
 * Which plug has read what, so that a change of it wakes that plug. Secrets and ConfigMaps are watched by their metadata for all
 * plugs together; any other object by a watch of its own, with the rights of who reads it, or by a look every 30 s where
 * these do not allow to watch, or where the objects of one namespace have taken all watches that it gets.
 */
export class Inputs {
  readonly #options: InputsOptions;
  readonly #readers = new Map<string, Set<string>>();
  readonly #readings = new Map<string, readonly Reading[]>();
  readonly #watched = new Map<string, Watched>();
  /** How many of them a namespace has. */
  readonly #open = new Map<string, number>();

  constructor(options: InputsOptions) {
    this.#options = options;
  }

  /** Whom a change of a Secret or a ConfigMap concerns. */
  readersOf({ kind, metadata: { namespace = "", name } }: KubeObject): Iterable<string> {
    return this.#readers.get(keyOf({ kind, namespace, name })) ?? [];
  }

  /**
   * From now on, changes of these objects wake the plug, and of no others. To be called before they are read: the server answers
   * a read with all that it has told anybody before, so that no change is missed.
   */
  follow(plugKey: string, refs: readonly SourceRef[], accountOf: (side: Side) => Account): void {
    const before = this.#readings.get(plugKey) ?? [];
    const readings = refs.map((ref) => ({ ref, user: accountOf(ref.side).user }));
    this.#readings.set(plugKey, readings);
    const kept = new Set(readings.map(idOf));
    for (const reading of readings) this.#add(plugKey, reading, accountOf);
    for (const reading of before) if (!kept.has(idOf(reading))) this.#remove(plugKey, reading);
  }

  forget(plugKey: string): void {
    for (const reading of this.#readings.get(plugKey) ?? []) this.#remove(plugKey, reading);
    this.#readings.delete(plugKey);
  }

  /** The objects of the plug that nobody may watch for it, for its status; undefined while that is not known of all of them. */
  polledBy(plugKey: string): readonly string[] | undefined {
    const watched = (this.#readings.get(plugKey) ?? []).flatMap((reading) => this.#watched.get(idOf(reading)) ?? []);
    if (watched.some(({ state }) => state === "unknown")) return undefined;
    return watched.filter(({ state }) => state === "polled").map(({ name }) => name);
  }

  [Symbol.dispose](): void {
    for (const watched of this.#watched.values()) watched[Symbol.dispose]();
    this.#watched.clear();
  }

  #add(plugKey: string, reading: Reading, accountOf: (side: Side) => Account): void {
    const { ref } = reading;
    if (isSignalled(ref)) {
      const readers = this.#readers.get(keyOf(ref));
      if (readers) readers.add(plugKey);
      else this.#readers.set(keyOf(ref), new Set([plugKey]));
      return;
    }
    const id = idOf(reading);
    const known = this.#watched.get(id);
    const watched = known ?? this.#watch(ref, accountOf(ref.side).client);
    watched.readers.add(plugKey);
    if (!known) this.#watched.set(id, watched);
  }

  #watch(ref: SourceRef, client: KubeClient): Watched {
    const { namespace } = ref;
    const open = this.#open.get(namespace) ?? 0;
    this.#open.set(namespace, open + 1);
    return new Watched({ ref, client, mayWatch: open < mostWatches, ...this.#options });
  }

  #remove(plugKey: string, reading: Reading): void {
    const { ref } = reading;
    if (isSignalled(ref)) {
      const readers = this.#readers.get(keyOf(ref));
      readers?.delete(plugKey);
      if (readers?.size === 0) this.#readers.delete(keyOf(ref));
      return;
    }
    const watched = this.#watched.get(idOf(reading));
    watched?.readers.delete(plugKey);
    if (watched?.readers.size !== 0) return;
    watched[Symbol.dispose]();
    this.#watched.delete(idOf(reading));
    const open = (this.#open.get(ref.namespace) ?? 1) - 1;
    if (open > 0) this.#open.set(ref.namespace, open);
    else this.#open.delete(ref.namespace);
  }
}

function keyOf({ kind, namespace, name }: Pick<SourceRef, "kind" | "namespace" | "name">): string {
  return `${kind}/${namespace}/${name}`;
}

/** The same object may be read by two accounts, of which one may watch it. */
function idOf({ ref: { apiVersion, kind, namespace, name }, user }: Reading): string {
  return [user, apiVersion, kind, namespace, name].join("\0");
}
