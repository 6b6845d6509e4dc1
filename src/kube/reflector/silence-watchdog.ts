import type { Clock } from "#base";

/** Aborts its signal when `reset` was not called for too long, or with its parent. */
export class SilenceWatchdog implements Disposable {
  readonly #clock: Clock;
  readonly #silenceMs: number;
  readonly #parent: AbortSignal;
  readonly #controller = new AbortController();
  #activeAt: number;
  #timer: Disposable;
  #hasFired = false;

  constructor(clock: Clock, silenceMs: number, parent: AbortSignal) {
    this.#clock = clock;
    this.#silenceMs = silenceMs;
    this.#parent = parent;
    this.#activeAt = clock.monotonic();
    this.#timer = clock.after(silenceMs, this.#check);
    if (parent.aborted) this.#follow();
    else parent.addEventListener("abort", this.#follow, { once: true });
  }

  /** The signal that it aborts. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether it aborted because of silence. */
  get hasFired(): boolean {
    return this.#hasFired;
  }

  /** To be called on each activity. Cheap enough for thousands of events: it does not touch the timer. */
  reset(): void {
    this.#activeAt = this.#clock.monotonic();
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    this.#parent.removeEventListener("abort", this.#follow);
  }

  readonly #follow = (): void => this.#controller.abort(this.#parent.reason);

  readonly #check = (): void => {
    const left = this.#activeAt + this.#silenceMs - this.#clock.monotonic();
    if (left > 0) {
      this.#timer = this.#clock.after(left, this.#check);
      return;
    }
    this.#hasFired = true;
    this.#controller.abort(new Error(`no answer from the API server for ${this.#silenceMs / 1000} s`));
  };
}
