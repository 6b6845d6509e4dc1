import type { Clock } from "#base";

/** Updates for an input that the coupling writes itself usually settle at once; after so many of them, the next waits. */
const updatesAtOnce = 3;
const firstMs = 1_000;
const longestMs = 5 * 60_000;
/** After so long without one, nothing is counted any more: longer than the longest pause between two. */
const calmMs = 2 * longestMs;

/** How often the same was done in a row: a plug updated because of its own outputs, or an object repaired. */
export class UpdateLoop {
  readonly #clock: Pick<Clock, "monotonic">;
  #updates = 0;
  #last = 0;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Whether the next one waits. */
  get isLooping(): boolean {
    return this.#counted > updatesAtOnce;
  }

  /** When it counts as ended, if nothing happens until then; undefined if the next one does not wait. */
  get calmInMs(): number | undefined {
    return this.isLooping ? Math.max(1, calmMs - this.#quietMs + 1) : undefined;
  }

  /** How long the next one waits. */
  get restMs(): number {
    const over = this.#counted - updatesAtOnce;
    if (over < 0) return 0;
    const pauseMs = Math.min(firstMs * 2 ** Math.min(over, 20), longestMs);
    return Math.max(0, pauseMs - this.#quietMs);
  }

  /** An update starts. */
  note(): void {
    this.#updates = this.#counted + 1;
    this.#last = this.#clock.monotonic();
  }

  /** The user has changed something. */
  end(): void {
    this.#updates = 0;
  }

  get #quietMs(): number {
    return this.#clock.monotonic() - this.#last;
  }

  get #counted(): number {
    return this.#quietMs > calmMs ? 0 : this.#updates;
  }
}
