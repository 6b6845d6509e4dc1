import type { Clock } from "#base";
import type { QueryableBundle } from "#bundle";

export interface CachedBundle {
  readonly queryable: QueryableBundle;
  /** Milliseconds since the epoch. */
  readonly expiration: number;
}

/**
 * The bundles that can be queried: the newest, and older ones that clients may still use. A bundle expires when it was not
 * queried for the TTL, and is dropped when a newer one is added.
 */
export class BundleCache {
  readonly #clock: Pick<Clock, "now">;
  readonly #ttlMs: number;
  readonly #bundles = new Map<string, CachedBundle>();
  #latest: QueryableBundle;

  constructor(first: QueryableBundle, ttlMs: number, clock: Pick<Clock, "now">) {
    this.#clock = clock;
    this.#ttlMs = ttlMs;
    this.#latest = first;
    this.#renew(first);
  }

  /** Never undefined: a new bundle replaces the previous one at once. */
  get latest(): QueryableBundle {
    return this.#latest;
  }

  get all(): readonly CachedBundle[] {
    return [...this.#bundles.values()];
  }

  find(identity: string): QueryableBundle | undefined {
    return this.#bundles.get(identity)?.queryable;
  }

  /** As `find`, and renews the TTL. */
  use(identity: string): QueryableBundle | undefined {
    const queryable = this.find(identity);
    if (queryable) this.#renew(queryable);
    return queryable;
  }

  /** Makes a bundle the newest, also one that is in the cache already. */
  add(queryable: QueryableBundle): void {
    const now = this.#clock.now();
    for (const [identity, { expiration }] of this.#bundles) {
      if (expiration < now && identity !== this.#latest.identity) this.#bundles.delete(identity);
    }
    this.#latest = queryable;
    this.#renew(queryable);
  }

  #renew(queryable: QueryableBundle): void {
    this.#bundles.set(queryable.identity, { queryable, expiration: this.#clock.now() + this.#ttlMs });
  }
}
