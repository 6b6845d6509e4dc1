/** Lets at most `limit` tasks run at once, in the order they came. */
export class Semaphore {
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(limit: number) {
    if (!Number.isInteger(limit) || limit < 1) throw new RangeError(`expected a limit of 1 or more, got ${limit}`);
    this.#free = limit;
  }

  /** The signal ends the wait, not the task: a task that should stop must listen to the signal itself. */
  async run<Result>(task: () => Result | Promise<Result>, signal?: AbortSignal): Promise<Result> {
    await this.#enter(signal);
    try {
      signal?.throwIfAborted();
      return await task();
    } finally {
      this.#leave();
    }
  }

  #enter(signal: AbortSignal | undefined): Promise<void> | undefined {
    signal?.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const admit = (): void => {
        signal?.removeEventListener("abort", giveUp);
        resolve();
      };
      const giveUp = (): void => {
        this.#waiting.delete(admit);
        reject(signal?.reason);
      };
      this.#waiting.add(admit);
      signal?.addEventListener("abort", giveUp, { once: true });
    });
  }

  /** Passes the slot to the longest waiting task, so that a new one cannot take it first. */
  #leave(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
