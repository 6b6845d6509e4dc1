import type { Clock } from "#base";

/** The corrections in a row that are made at once; after that another writer is undoing them, and we slow down. */
const burst = 10;
const refillMs = 30_000;
/** One change is often several writes. */
const settleMs = 200;

/** How soon the next correction of a target may come. */
export class DriftAllowance {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #spent = new Map<string, { readonly amount: number; readonly at: number }>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Takes one correction, and says how long to wait before it. */
  take(target: string): number {
    const now = this.#clock.monotonic();
    const { amount, at } = this.#spent.get(target) ?? { amount: 0, at: now };
    const left = Math.max(0, amount - (now - at) / refillMs);
    this.#spent.set(target, { amount: Math.min(left + 1, burst + 1), at: now });
    return left + 1 <= burst ? settleMs : refillMs;
  }
}
