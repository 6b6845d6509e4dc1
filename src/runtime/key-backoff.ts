import { backoffMs } from "#kube";

export interface BackoffOptions {
  /** The shortest wait after a failure; default 5 ms. */
  readonly baseMs?: number;
  /** The longest wait, after any number of failures; default 5 min. */
  readonly capMs?: number;
}

/** Exponential backoff for each key. Counts the failures of a key until `forget`. */
export class KeyBackoff {
  readonly #bounds: { readonly shortestMs: number; readonly longestMs: number };
  readonly #random: () => number;
  readonly #failures = new Map<string, number>();

  constructor({ baseMs = 5, capMs = 5 * 60_000 }: BackoffOptions, random: () => number) {
    if (!(baseMs > 0 && capMs >= baseMs))
      throw new RangeError(`expected 0 < baseMs <= capMs, got baseMs ${baseMs} and capMs ${capMs}`);
    this.#bounds = { shortestMs: baseMs, longestMs: capMs };
    this.#random = random;
  }

  next(key: string): number {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    return backoffMs(failures, this.#bounds, this.#random);
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }
}
