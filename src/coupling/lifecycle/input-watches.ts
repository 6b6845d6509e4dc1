import type { Clock, Logger } from "#base";
import { ApiError, describeRef, type KubeClient, type KubeObject, type ObjectRef, SilenceWatchdog } from "#kube";

interface InputWatchesOptions {
  readonly wake: (plugKey: string) => void;
  /** Whether the Secrets and ConfigMaps of a namespace are watched together. */
  readonly covers: (namespace: string) => boolean;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** Per namespace: each watch takes a connection, and other tenants need some, too. */
const mostWatches = 100;

/** The account that reads an object. */
interface Account {
  readonly user: string;
  readonly client: KubeClient;
}

/** An object, or all objects with the labels; then `name` is for messages only. */
export interface FollowedRef extends ObjectRef {
  readonly labelSelector?: string | undefined;
}

/** An object that a plug reads, and the user that reads it. */
interface Reading {
  readonly ref: FollowedRef;
  readonly user: string;
  /** Whether the watch of all objects of its kind reports it. */
  readonly isShared: boolean;
}

/**
 * Which plug reads what, so that a change of it wakes that plug. The metadata of Secrets and ConfigMaps is watched for all plugs
 * together, in the namespaces that the operator works in; any other object has a watch of its own, with the rights of its reader, or is read every 30 s if these do not allow
 * a watch, or if its namespace has used up its watches.
 */
export class InputWatches {
  readonly #options: InputWatchesOptions;
  readonly #readers = new Map<string, Set<string>>();
  readonly #readings = new Map<string, readonly Reading[]>();
  readonly #watched = new Map<string, InputWatch>();
  /** How many of them a namespace has. */
  readonly #open = new Map<string, number>();

  constructor(options: InputWatchesOptions) {
    this.#options = options;
  }

  /** The plugs that read a Secret or a ConfigMap. */
  readersOf({ kind, metadata: { namespace = "", name } }: KubeObject): Iterable<string> {
    return this.#readers.get(keyOf({ kind, namespace, name })) ?? [];
  }

  /** The objects that a plug reads or looks after. */
  readingsOf(plugKey: string): readonly FollowedRef[] {
    return (this.#readings.get(plugKey) ?? []).map(({ ref }) => ref);
  }

  /**
   * From now on, changes of these objects wake the plug, and no others. To be called before they are read: a read returns at
   * least what a watch has reported before, so that no change is missed.
   */
  follow<Ref extends FollowedRef>(plugKey: string, refs: readonly Ref[], accountOf: (ref: Ref) => Account): void {
    const before = this.#readings.get(plugKey) ?? [];
    const isShared = (ref: Ref): boolean => hasSharedWatch(ref) && this.#options.covers(ref.namespace ?? "");
    const readings = refs.map((ref) => ({ ref, isShared: isShared(ref), ...accountOf(ref) }));
    this.#readings.set(
      plugKey,
      readings.map(({ ref, user, isShared: isKnown }) => ({ ref, user, isShared: isKnown })),
    );
    const kept = new Set(readings.map(idOf));
    for (const { client, ...reading } of readings) this.#add(plugKey, reading, client);
    for (const reading of before) if (!kept.has(idOf(reading))) this.#remove(plugKey, reading);
  }

  forget(plugKey: string): void {
    for (const reading of this.#readings.get(plugKey) ?? []) this.#remove(plugKey, reading);
    this.#readings.delete(plugKey);
  }

  /** The plug's objects that are polled, for its status; undefined while this is not known for all of them. */
  polledBy(plugKey: string): readonly string[] | undefined {
    const watched = (this.#readings.get(plugKey) ?? []).flatMap((reading) => this.#watched.get(idOf(reading)) ?? []);
    if (watched.some(({ state }) => state === "unknown")) return undefined;
    return watched.filter(({ state }) => state === "polled").map(({ name }) => name);
  }

  [Symbol.dispose](): void {
    for (const watched of this.#watched.values()) watched[Symbol.dispose]();
    this.#watched.clear();
  }

  #add(plugKey: string, reading: Reading, client: KubeClient): void {
    const { ref } = reading;
    if (reading.isShared) {
      const readers = this.#readers.get(keyOf(ref));
      if (readers) readers.add(plugKey);
      else this.#readers.set(keyOf(ref), new Set([plugKey]));
      return;
    }
    const id = idOf(reading);
    const known = this.#watched.get(id);
    const watched = known ?? this.#watch(ref, client);
    watched.readers.add(plugKey);
    if (!known) this.#watched.set(id, watched);
  }

  #watch(ref: FollowedRef, client: KubeClient): InputWatch {
    const { namespace = "" } = ref;
    const open = this.#open.get(namespace) ?? 0;
    this.#open.set(namespace, open + 1);
    return new InputWatch({ ref, client, mayWatch: open < mostWatches, ...this.#options });
  }

  #remove(plugKey: string, reading: Reading): void {
    const { ref } = reading;
    if (reading.isShared) {
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
    const { namespace = "" } = ref;
    const open = (this.#open.get(namespace) ?? 1) - 1;
    if (open > 0) this.#open.set(namespace, open);
    else this.#open.delete(namespace);
  }
}

function keyOf({ kind, namespace = "", name }: Pick<ObjectRef, "kind" | "namespace" | "name">): string {
  return `${kind}/${namespace}/${name}`;
}

/** The same object may be read by two accounts, of which one may watch it. */
function idOf({ ref: { apiVersion, kind, namespace, name, labelSelector }, user, isShared }: Reading): string {
  return [user, isShared, apiVersion, kind, namespace, name, labelSelector].join("\0");
}

interface WatchedObjectOptions {
  readonly ref: FollowedRef;
  readonly client: Pick<KubeClient, "watch">;
  /** False: the namespace has used up its watches; the object is polled. */
  readonly mayWatch: boolean;
  readonly wake: (plugKey: string) => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

const pollMs = 30_000;
const pauseMs = 1_000;
const longestPauseMs = 60_000;
/** The duration of a watch; spread, so that watches that started together do not end together. */
const watchSeconds = { shortest: 300, longest: 600 };
/** After a shorter watch there is a pause; else a server that ends watches at once would get hundreds of requests a second. */
const shortWatchMs = 1_000;
/** Bookmarks come about every minute. */
const silenceMs = 90_000;

/** One object that is watched for the plugs that read it, until it is disposed of. */
export class InputWatch {
  readonly readers = new Set<string>();
  readonly #options: WatchedObjectOptions;
  readonly #ending = new AbortController();
  #state: "unknown" | "watched" | "polled" = "unknown";

  constructor(options: WatchedObjectOptions) {
    this.#options = options;
    this.#follow().catch((error: unknown) => {
      if (!this.#ending.signal.aborted) options.log.error("the watch of an input failed", { error });
    });
  }

  /** `polled`: the rights do not allow a watch, so the object is read every 30 s. */
  get state(): "unknown" | "watched" | "polled" {
    return this.#state;
  }

  /** For messages. */
  get name(): string {
    return describeRef(this.#options.ref);
  }

  [Symbol.dispose](): void {
    this.#ending.abort(new Error("no plug reads it any more"));
  }

  async #follow(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#ending;
    let version: string | undefined;
    for (let pause = pauseMs; !signal.aborted; ) {
      try {
        if (!this.#options.mayWatch) {
          await this.#poll();
          continue;
        }
        const startedAt = clock.monotonic();
        version = await this.#watch(version);
        if (clock.monotonic() - startedAt >= shortWatchMs) {
          pause = pauseMs;
          continue;
        }
      } catch (error) {
        if (signal.aborted) return;
        version = undefined;
        if (isDenied(error)) {
          await this.#poll();
          continue;
        }
      }
      await clock.sleep(pause, signal);
      pause = Math.min(2 * pause, longestPauseMs);
    }
  }

  async #poll(): Promise<void> {
    if (this.#state !== "polled") this.#enter("polled");
    await this.#options.clock.sleep(pollMs, this.#ending.signal);
    this.#tell();
  }

  /**
   * Runs until the server ends it, every few minutes. A watch without a version starts with the current object, or with a
   * bookmark if there is none: either may be newer than what was read.
   */
  async #watch(from: string | undefined): Promise<string | undefined> {
    const { ref, client, clock, random } = this.#options;
    const { apiVersion, kind, namespace, name, labelSelector } = ref;
    const which = labelSelector === undefined ? { fieldSelector: `metadata.name=${name}` } : { labelSelector };
    const selection = { apiVersion, kind, namespace, ...which, metadataOnly: true };
    const { shortest, longest } = watchSeconds;
    const options = { resourceVersion: from, timeoutSeconds: Math.round(shortest + random() * (longest - shortest)) };
    using watchdog = new SilenceWatchdog(clock, silenceMs, this.#ending.signal);
    let version = from;
    for await (const event of client.watch(selection, options, watchdog.signal)) {
      watchdog.reset();
      const isBookmark = event.type === "BOOKMARK";
      if (!isBookmark || version === undefined) this.#enter("watched");
      version = isBookmark ? event.resourceVersion : event.object.metadata.resourceVersion;
    }
    watchdog.signal.throwIfAborted();
    return version;
  }

  #enter(state: "watched" | "polled"): void {
    this.#state = state;
    this.#tell();
  }

  #tell(): void {
    for (const key of this.readers) this.#options.wake(key);
  }
}

function isDenied(error: unknown): boolean {
  return error instanceof ApiError && (error.isForbidden || error.status === 405);
}

/** Whether all objects of this kind are watched together. */
export function hasSharedWatch(ref: ObjectRef): ref is ObjectRef & { readonly kind: "Secret" | "ConfigMap" } {
  return ref.apiVersion === "v1" && (ref.kind === "Secret" || ref.kind === "ConfigMap");
}
