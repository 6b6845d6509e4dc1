import type { Metrics } from "#base";
import type { Bundle } from "#bundle";
import type { BundleCache } from "./bundle-cache.ts";

/** The metrics of qontract-server, under its names, so that its dashboards keep working. */
export class DataMetrics {
  readonly #reloads;
  readonly #datafiles;
  readonly #bundles;
  readonly #cached;
  #schemas: ReadonlySet<string> = new Set();

  constructor(metrics: Metrics) {
    this.#reloads = metrics.counter("qontract_server_reloads_total", "Reloads with new data", []);
    this.#datafiles = metrics.gauge("qontract_server_datafiles", "Data files of the newest bundle", ["schema"]);
    this.#bundles = metrics.gauge("qontract_server_bundle_object_shas", "Bundles in memory", []);
    this.#cached = metrics.gauge("qontract_server_bundle_cache_object_shas", "Bundles that can be queried", []);
  }

  reloaded(): void {
    this.#reloads.inc();
  }

  show(bundles: BundleCache): void {
    const count = bundles.all.length;
    this.#bundles.set(count);
    this.#cached.set(count);
    const files = countBySchema(bundles.latest.bundle);
    for (const schema of this.#schemas) {
      if (!files.has(schema)) this.#datafiles.remove({ schema });
    }
    for (const [schema, amount] of files) this.#datafiles.set(amount, { schema });
    this.#schemas = new Set(files.keys());
  }
}

function countBySchema({ datafiles }: Bundle): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { schema = "" } of datafiles.values()) counts.set(schema, (counts.get(schema) ?? 0) + 1);
  return counts;
}
