import type { Clock } from "#base";

/** Gives up on a conversation in which nothing was heard for too long, or that its parent gave up. */
export class SilenceWatchdog implements Disposable {
  readonly #clock: Clock;
  readonly #silenceMs: number;
  readonly #parent: AbortSignal;
  readonly #controller = new AbortController();
  #heardAt: number;
  #timer: Disposable;
  #hasFired = false;

  constructor(clock: Clock, silenceMs: number, parent: AbortSignal) {
    this.#clock = clock;
    this.#silenceMs = silenceMs;
    this.#parent = parent;
    this.#heardAt = clock.monotonic();
    this.#timer = clock.after(silenceMs, this.#check);
    if (parent.aborted) this.#follow();
    else parent.addEventListener("abort", this.#follow, { once: true });
  }

  /** For the conversation to end by. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether it was silence that ended it. */
  get hasFired(): boolean {
    return this.#hasFired;
  }

  /** Something was heard. Cheap enough for each of thousands of events: no timer is touched. */
  reset(): void {
    this.#heardAt = this.#clock.monotonic();
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    this.#parent.removeEventListener("abort", this.#follow);
  }

  readonly #follow = (): void => this.#controller.abort(this.#parent.reason);

  readonly #check = (): void => {
    const left = this.#heardAt + this.#silenceMs - this.#clock.monotonic();
    if (left > 0) {
      this.#timer = this.#clock.after(left, this.#check);
      return;
    }
    this.#hasFired = true;
    this.#controller.abort(new Error(`the API server said nothing for ${this.#silenceMs / 1000} s`));
  };
}
