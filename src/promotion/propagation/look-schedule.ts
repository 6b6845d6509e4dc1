import type { Clock } from "#base";

/** How long a settled Propagation is believed without a look at its repositories, if nothing else says that they changed. */
const longestMs = 60 * 60_000;

/** Which Propagations must be looked at in full with their next reconcile. */
export class LookSchedule {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #random: () => number;
  readonly #dueAt = new Map<string, number>();

  constructor(clock: Pick<Clock, "monotonic">, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Something may have changed there. */
  force(key: string): void {
    this.#dueAt.set(key, 0);
  }

  /** Whether a look is due now; then the next one is due much later. After a start, the looks are spread. */
  take(key: string): boolean {
    const now = this.#clock.monotonic();
    const dueAt = this.#dueAt.get(key) ?? now + longestMs * this.#random();
    const isDue = dueAt <= now;
    this.#dueAt.set(key, isDue ? now + longestMs * (0.9 + 0.2 * this.#random()) : dueAt);
    return isDue;
  }

  forget(key: string): void {
    this.#dueAt.delete(key);
  }
}
