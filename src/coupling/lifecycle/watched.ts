import type { Clock, Logger } from "#base";
import { ApiError, describeRef, type KubeClient, SilenceWatchdog } from "#kube";
import type { SourceRef } from "../sources/resolved.ts";

export interface WatchedOptions {
  readonly ref: SourceRef;
  readonly client: Pick<KubeClient, "watch">;
  /** False: there are enough watches; it is looked at now and then. */
  readonly mayWatch: boolean;
  readonly wake: (plugKey: string) => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

const pollMs = 30_000;
const pauseMs = 1_000;
const longestPauseMs = 60_000;
/** How long a watch is asked to last; spread, so that those started together do not all return together. */
const watchSeconds = { shortest: 300, longest: 600 };
/** A server that ends watches sooner than this would otherwise be asked hundreds of times a second. */
const shortWatchMs = 1_000;
/** Bookmarks come about every minute. */
const silenceMs = 90_000;

/** One object that is watched for the plugs that read it, until it is disposed of. */
export class Watched {
  readonly readers = new Set<string>();
  readonly #options: WatchedOptions;
  readonly #ending = new AbortController();
  #state: "unknown" | "watched" | "polled" = "unknown";

  constructor(options: WatchedOptions) {
    this.#options = options;
    this.#follow().catch((error: unknown) => {
      if (!this.#ending.signal.aborted) options.log.error("a watch of an input ended", { error });
    });
  }

  /** `polled`: the rights do not allow to watch, so it is looked at now and then. */
  get state(): "unknown" | "watched" | "polled" {
    return this.#state;
  }

  /** For people. */
  get name(): string {
    return describeRef(this.#options.ref);
  }

  [Symbol.dispose](): void {
    this.#ending.abort(new Error("nobody reads it any more"));
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
   * Until the server ends it, which it does every few minutes. A watch from nowhere begins with what is there, or with a bookmark
   * if there is nothing: either may be news since it was read.
   */
  async #watch(from: string | undefined): Promise<string | undefined> {
    const { ref, client, clock, random } = this.#options;
    const { apiVersion, kind, namespace, name } = ref;
    const selection = { apiVersion, kind, namespace, fieldSelector: `metadata.name=${name}`, metadataOnly: true };
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
