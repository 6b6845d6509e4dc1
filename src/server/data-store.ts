import { type Clock, type Logger, Semaphore } from "#base";
import { type BundleSource, createQueryable, type QueryableBundle } from "#bundle";
import type { DataMetrics } from "./data-metrics.ts";
import { BundleCache } from "./bundle-cache.ts";

export interface DataStoreOptions {
  /** Loaded in this order; the last one is the newest. A reload reads `source`. */
  readonly initial: readonly BundleSource[];
  readonly source: BundleSource;
  readonly ttlMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: DataMetrics;
}

/** The bundles of a server, and their reload. A failed load changes nothing. */
export class DataStore {
  readonly bundles: BundleCache;
  readonly #options: DataStoreOptions;
  readonly #oneAtATime = new Semaphore(1);
  #next: Promise<QueryableBundle> | undefined;

  private constructor(bundles: BundleCache, options: DataStoreOptions) {
    this.bundles = bundles;
    this.#options = options;
    options.metrics.show(bundles);
  }

  static async open(options: DataStoreOptions, signal: AbortSignal): Promise<DataStore> {
    const [first, ...others] = options.initial.length > 0 ? options.initial : [options.source];
    if (first === undefined) throw new Error("the data server has no source");
    const bundles = new BundleCache(await loadQueryable(first, options, signal), options.ttlMs, options.clock);
    for (const source of others) bundles.add(await loadQueryable(source, options, signal));
    return new DataStore(bundles, options);
  }

  /**
   * Reads the source again, one reload at a time. Callers during a reload share the next one, so that each sees
   * everything that was written before its call.
   */
  reload(signal: AbortSignal): Promise<QueryableBundle> {
    this.#next ??= this.#oneAtATime.run(() => {
      this.#next = undefined;
      return this.#reload(signal);
    }, signal);
    return this.#next;
  }

  async #reload(signal: AbortSignal): Promise<QueryableBundle> {
    const { source, log, metrics } = this.#options;
    const bundle = await source.load(signal);
    const known = this.bundles.find(bundle.identity);
    // Another commit can hold the same data.
    const isKnown = known !== undefined && known.gitCommit === bundle.gitCommit;
    if (isKnown && known === this.bundles.latest) return known;
    const queryable = isKnown ? known : createQueryable(bundle, { log });
    this.bundles.add(queryable);
    metrics.reloaded();
    metrics.show(this.bundles);
    log.info("bundle loaded", { identity: bundle.identity, datafiles: bundle.datafiles.size });
    return queryable;
  }
}

async function loadQueryable(
  source: BundleSource,
  { log }: DataStoreOptions,
  signal: AbortSignal,
): Promise<QueryableBundle> {
  return createQueryable(await source.load(signal), { log });
}
