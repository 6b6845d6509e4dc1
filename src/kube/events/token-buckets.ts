import { type Clock, LeastRecentlyUsed } from "#base";

export interface BucketLimits {
  /** How much may happen at once. */
  readonly burst: number;
  /** How long it takes until one more may happen. */
  readonly refillMs: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Limits how often something may happen, each key for itself. Forgets keys not used for long, when there are too many. */
export class TokenBuckets {
  readonly #limits: BucketLimits;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #buckets: LeastRecentlyUsed<string, Bucket>;

  constructor(limits: BucketLimits, clock: Pick<Clock, "monotonic">, keys = 4096) {
    this.#limits = limits;
    this.#clock = clock;
    this.#buckets = new LeastRecentlyUsed(keys);
  }

  /** Whether it may happen now. */
  take(key: string): boolean {
    const { burst, refillMs } = this.#limits;
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(key, () => ({ tokens: burst, at: now }));
    bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.at) / refillMs);
    bucket.at = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }
}
