import type { Clock } from "#base";
import { ApiError } from "../transport/api-error.ts";
import type { ObjectSelection } from "../client/object.ts";
import type { ReflectorMetrics } from "./reflector-metrics.ts";
import type { ReflectorSource } from "./reflector-source.ts";
import type { Replacement, Replica } from "./replica.ts";
import { isNewerVersion } from "./resource-version.ts";
import { SilenceWatchdog } from "./silence-watchdog.ts";

/** How one attempt to follow the cluster ended; `followedMs` is how long the replica was up to date. */
export type FollowOutcome = { readonly followedMs: number } & (
  | { readonly kind: "ended" }
  | { readonly kind: "silent" | "expired" | "no initial events" | "failed"; readonly error: unknown }
);

export interface FollowerOptions {
  readonly source: ReflectorSource;
  readonly selection: ObjectSelection;
  readonly replica: Replica;
  readonly clock: Clock;
  readonly random: () => number;
  readonly metrics: ReflectorMetrics;
  readonly silenceMs: number;
  /** Called for each answer, event and bookmark from the server. */
  readonly onActivity: () => void;
  /** Called when the replica is complete and a watch keeps it up to date, or is about to. */
  readonly onFollowing: () => void;
}

const pageSize = 1000;
/** The timeout requested for a watch; random, so that watches started together do not all end together. */
const watchSeconds = { shortest: 300, longest: 600 };
/** A shorter watch without events counts as a failure: otherwise it would be repeated thousands of times a second. */
const shortWatchMs = 1_000;

class NoInitialEventsError extends Error {}

/** Keeps a replica up to date for the duration of one watch. Reads the whole state first if needed. */
export class Follower {
  readonly #options: FollowerOptions;
  #pageSize = pageSize;
  #takesInitialEvents = true;
  #hasActivity = false;
  #silences = 0;
  #followingSince: number | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  async follow(signal: AbortSignal): Promise<FollowOutcome> {
    const { clock, silenceMs } = this.#options;
    this.#followingSince = undefined;
    this.#hasActivity = false;
    using watchdog = new SilenceWatchdog(clock, silenceMs, signal);
    try {
      await this.#readAndWatch(watchdog);
      return { kind: "ended", followedMs: this.#followedMs() };
    } catch (error) {
      return { ...this.#classify(error, watchdog), followedMs: this.#followedMs() };
    }
  }

  async #readAndWatch(watchdog: SilenceWatchdog): Promise<void> {
    const { replica } = this.#options;
    if (this.#silences > 1) await this.#checkPosition(watchdog);
    if (replica.position === undefined && this.#takesInitialEvents) {
      await this.#watch({ sendInitialEvents: true }, watchdog, replica.replace());
      return;
    }
    const resourceVersion = replica.position ?? (await this.#list(watchdog));
    this.#startFollowing();
    await this.#watch({ resourceVersion }, watchdog);
  }

  async #list(watchdog: SilenceWatchdog): Promise<string> {
    const { source, selection, replica, clock, metrics } = this.#options;
    const startedAt = clock.monotonic();
    const replacement = replica.replace();
    let version: string | undefined;
    let items = 0;
    for await (const page of source.pages(selection, { limit: this.#pageSize }, watchdog.signal)) {
      this.#noteActivity(watchdog);
      for (const item of page.items) replacement.put(item);
      items += page.items.length;
      // Pages may show different states; a watch from the version of the first one misses nothing.
      version ??= page.resourceVersion;
    }
    watchdog.signal.throwIfAborted();
    if (version === undefined) throw new Error("the API server sent a list without a page");
    replacement.end(version);
    metrics.listed(items, (clock.monotonic() - startedAt) / 1000);
    return version;
  }

  /**
   * With `replacement`, the watch starts with the whole state as events, ends them with a bookmark, and then continues:
   * https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists
   */
  async #watch(
    start: { readonly resourceVersion?: string; readonly sendInitialEvents?: boolean },
    watchdog: SilenceWatchdog,
    replacement?: Replacement,
  ): Promise<void> {
    const { source, selection, replica, clock, metrics } = this.#options;
    const startedAt = clock.monotonic();
    const seconds = (): number => (clock.monotonic() - startedAt) / 1000;
    let unfinished = replacement;
    let events = 0;
    metrics.watchStarted();
    try {
      const options = { ...start, timeoutSeconds: this.#timeoutSeconds() };
      for await (const event of source.watch(selection, options, watchdog.signal)) {
        this.#noteActivity(watchdog);
        events += 1;
        if (!unfinished) {
          replica.apply(event);
        } else if (event.type !== "BOOKMARK") {
          unfinished.apply(event);
        } else {
          if (!event.isInitialEventsEnd)
            throw new NoInitialEventsError("a bookmark came before the initial events ended");
          unfinished.end(event.resourceVersion);
          unfinished = undefined;
          metrics.listed(events - 1, seconds());
          this.#startFollowing();
        }
      }
    } finally {
      metrics.watchEnded(events, seconds());
    }
    watchdog.signal.throwIfAborted();
    if (unfinished) throw new NoInitialEventsError("the watch ended before its initial events did");
    if (events === 0 && seconds() * 1000 < shortWatchMs) throw new Error("the API server ended the watch at once");
  }

  /**
   * After a restore of etcd from a backup, the server's versions may be older than ours. The server then sends nothing until
   * its versions have caught up, and never sends the changes in between.
   */
  async #checkPosition(watchdog: SilenceWatchdog): Promise<void> {
    const { source, selection, replica } = this.#options;
    for await (const { resourceVersion } of source.pages(selection, { limit: 1 }, watchdog.signal)) {
      this.#options.onActivity();
      if (replica.position !== undefined && isNewerVersion(replica.position, resourceVersion)) replica.losePosition();
      break;
    }
  }

  #classify(
    error: unknown,
    watchdog: SilenceWatchdog,
  ): { kind: Exclude<FollowOutcome["kind"], "ended">; error: unknown } {
    const { replica } = this.#options;
    const isInitialWatch = replica.position === undefined && this.#takesInitialEvents;
    if (isInitialWatch && ((watchdog.hasFired && this.#hasActivity) || isRefusalOfInitialEvents(error))) {
      this.#takesInitialEvents = false;
      return { kind: "no initial events", error };
    }
    if (watchdog.hasFired) {
      this.#silences += 1;
      return { kind: "silent", error: watchdog.signal.reason };
    }
    if (!(error instanceof ApiError && error.isGone)) return { kind: "failed", error };
    // Reading the pages took longer than etcd keeps versions, so the next attempt uses larger pages.
    if (replica.position === undefined) this.#pageSize *= 4;
    replica.losePosition();
    return { kind: "expired", error };
  }

  #noteActivity(watchdog: SilenceWatchdog): void {
    watchdog.reset();
    this.#hasActivity = true;
    this.#silences = 0;
    this.#options.onActivity();
  }

  #startFollowing(): void {
    this.#followingSince = this.#options.clock.monotonic();
    this.#options.onFollowing();
  }

  #followedMs(): number {
    return this.#followingSince === undefined ? 0 : this.#options.clock.monotonic() - this.#followingSince;
  }

  #timeoutSeconds(): number {
    const { shortest, longest } = watchSeconds;
    return Math.round(shortest + this.#options.random() * (longest - shortest));
  }
}

/** Servers before 1.32 may not support initial events and answer 400 or 422, or never send the final bookmark. */
function isRefusalOfInitialEvents(error: unknown): boolean {
  return (
    error instanceof NoInitialEventsError || (error instanceof ApiError && (error.isBadRequest || error.isInvalid))
  );
}
