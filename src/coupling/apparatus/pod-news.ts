import type { Clock } from "#base";

/** Ends pauses early: who waits for a pod hears at once when something happened to it. */
export class PodNews {
  readonly #clock: Clock;
  readonly #sleepers = new Map<string, Set<AbortController>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  tell(uid: string): void {
    for (const sleeper of this.#sleepers.get(uid) ?? []) sleeper.abort();
  }

  /** Pauses of whoever waits for the pod of this owner. */
  of(uid: string): (ms: number, signal: AbortSignal) => Promise<void> {
    return async (ms, signal) => {
      const woken = new AbortController();
      const sleepers = this.#sleepers.get(uid) ?? new Set();
      this.#sleepers.set(uid, sleepers.add(woken));
      await this.#clock.sleep(ms, AbortSignal.any([signal, woken.signal])).catch(() => {});
      sleepers.delete(woken);
      if (sleepers.size === 0 && this.#sleepers.get(uid) === sleepers) this.#sleepers.delete(uid);
      signal.throwIfAborted();
    };
  }
}
