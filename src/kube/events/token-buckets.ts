import { type Clock, LeastRecentlyUsed } from "#base";

export interface BucketLimits {
  /** The size of the bucket. */
  readonly burst: number;
  /** How long it takes to refill one token. */
  readonly refillMs: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Token bucket rate limits, one for each key. Drops the least recently used keys when there are too many. */
export class TokenBuckets {
  readonly #limits: BucketLimits;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #buckets: LeastRecentlyUsed<string, Bucket>;

  constructor(limits: BucketLimits, clock: Pick<Clock, "monotonic">, keys = 4096) {
    this.#limits = limits;
    this.#clock = clock;
    this.#buckets = new LeastRecentlyUsed(keys);
  }

  /** Takes a token; false if there is none. */
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
