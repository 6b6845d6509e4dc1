/** Lets at most `limit` tasks run at once: those of a higher rank first, and of one rank in the order they came. */
export class Semaphore {
  /** By rank, highest first. */
  #waiting: readonly { readonly rank: number; readonly tasks: Set<() => void> }[] = [];
  #free: number;

  constructor(limit: number) {
    if (!Number.isInteger(limit) || limit < 1) throw new RangeError(`expected a limit of 1 or more, got ${limit}`);
    this.#free = limit;
  }

  /** The signal ends the wait, not the task: a task that should stop must listen to the signal itself. */
  async run<Result>(task: () => Result | Promise<Result>, signal?: AbortSignal, rank = 0): Promise<Result> {
    await this.#enter(signal, rank);
    try {
      signal?.throwIfAborted();
      return await task();
    } finally {
      this.#leave();
    }
  }

  #enter(signal: AbortSignal | undefined, rank: number): Promise<void> | undefined {
    signal?.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return undefined;
    }
    const tasks = this.#ofRank(rank);
    return new Promise((resolve, reject) => {
      const admit = (): void => {
        signal?.removeEventListener("abort", giveUp);
        resolve();
      };
      const giveUp = (): void => {
        tasks.delete(admit);
        reject(signal?.reason);
      };
      tasks.add(admit);
      signal?.addEventListener("abort", giveUp, { once: true });
    });
  }

  #ofRank(rank: number): Set<() => void> {
    const known = this.#waiting.find((each) => each.rank === rank);
    if (known) return known.tasks;
    const tasks = new Set<() => void>();
    this.#waiting = [...this.#waiting, { rank, tasks }].toSorted((one, other) => other.rank - one.rank);
    return tasks;
  }

  /** Passes the slot to the longest waiting task of the highest rank, so that a new one cannot take it first. */
  #leave(): void {
    for (const { tasks } of this.#waiting) {
      const [next] = tasks;
      if (!next) continue;
      tasks.delete(next);
      next();
      return;
    }
    this.#free++;
  }
}
