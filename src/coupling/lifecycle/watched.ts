import type { Clock, Logger } from "#base";
import { ApiError, describeRef, type KubeClient } from "#kube";
import type { SourceRef } from "../sources/resolved.ts";

export interface WatchedOptions {
  readonly ref: SourceRef;
  readonly client: Pick<KubeClient, "watch">;
  /** False: there are enough watches; it is looked at now and then. */
  readonly mayWatch: boolean;
  readonly wake: (plugKey: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

const pollMs = 30_000;
const pauseMs = 1_000;
const longestPauseMs = 60_000;

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
        version = await this.#watch(version);
        pause = pauseMs;
      } catch (error) {
        if (signal.aborted) return;
        version = undefined;
        if (isDenied(error)) await this.#poll();
        else {
          await clock.sleep(pause, signal);
          pause = Math.min(2 * pause, longestPauseMs);
        }
      }
    }
  }

  async #poll(): Promise<void> {
    if (this.#state !== "polled") this.#enter("polled");
    await this.#options.clock.sleep(pollMs, this.#ending.signal);
    this.#tell();
  }

  /**
   * Until the server ends it, which it does every few minutes. The first watch begins with what is there: it may have changed
   * since it was read.
   */
  async #watch(from: string | undefined): Promise<string | undefined> {
    const { ref, client } = this.#options;
    const { apiVersion, kind, namespace, name } = ref;
    const selection = { apiVersion, kind, namespace, fieldSelector: `metadata.name=${name}`, metadataOnly: true };
    let version = from;
    for await (const event of client.watch(selection, { resourceVersion: from }, this.#ending.signal)) {
      if (event.type === "BOOKMARK") {
        version = event.resourceVersion;
        continue;
      }
      version = event.object.metadata.resourceVersion;
      this.#enter("watched");
    }
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
