import { setImmediate } from "node:timers/promises";
import { type Clock, sleepOn } from "./clock.ts";

interface Timer {
  readonly due: number;
  readonly run: () => void;
}

/** Time that stands still until a test advances it. */
export class FakeClock implements Clock {
  readonly #epoch: number;
  readonly #timers = new Set<Timer>();
  #elapsed = 0;

  constructor(epoch = Date.UTC(2026, 0, 1)) {
    this.#epoch = epoch;
  }

  now(): number {
    return this.#epoch + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  after(ms: number, run: () => void): Disposable {
    const timer = { due: this.#elapsed + Math.max(ms, 0), run };
    this.#timers.add(timer);
    return { [Symbol.dispose]: () => void this.#timers.delete(timer) };
  }

  /** How many timers and sleepers are left. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Runs what is due in order, each at its own time, and lets promise continuations run before, between and after. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    await setImmediate();
    for (let timer = this.#nextDue(end); timer; timer = this.#nextDue(end)) {
      this.#timers.delete(timer);
      this.#elapsed = timer.due;
      timer.run();
      await setImmediate();
    }
    this.#elapsed = end;
  }

  /** Of timers due together, the one set first. */
  #nextDue(end: number): Timer | undefined {
    const [first] = [...this.#timers].filter(({ due }) => due <= end).toSorted((a, b) => a.due - b.due);
    return first;
  }
}
