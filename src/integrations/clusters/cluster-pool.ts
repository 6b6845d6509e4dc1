import type { KubeClient } from "#kube";
import type { ClusterData } from "../data/integration.ts";
import { type ClusterOptions, clusterSources, type DataClusterSource } from "./data-clusters.ts";

interface Kept {
  /** What the client was made from: another cluster of the same name gets a client of its own. */
  readonly from: string;
  readonly client: KubeClient;
}

/** Clients that outlive a run, for who looks again and again: connections, discovery and watches stay. */
export class ClusterPool implements AsyncDisposable {
  readonly #options: ClusterOptions;
  readonly #kept = new Map<string, Kept>();

  constructor(options: ClusterOptions) {
    this.#options = options;
  }

  /** As `clusterSources`, but a cluster that was opened before is not opened again. */
  readonly sources = (clusters: readonly ClusterData[]): DataClusterSource[] =>
    clusterSources(clusters, this.#options).map((source, index) => this.#keep(source, JSON.stringify(clusters[index])));

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([...this.#kept.values()].map(close));
    this.#kept.clear();
  }

  #keep(source: DataClusterSource, from: string): DataClusterSource {
    return { ...source, open: async (signal) => borrowed(await this.#open(source, from, signal)) };
  }

  async #open({ name, open }: DataClusterSource, from: string, signal: AbortSignal): Promise<KubeClient> {
    const kept = this.#kept.get(name);
    if (kept?.from === from) return kept.client;
    const client = await open(signal);
    this.#kept.set(name, { from, client });
    if (kept) await close(kept);
    return client;
  }
}

async function close({ client }: Kept): Promise<void> {
  await client.transport[Symbol.asyncDispose]();
}

/** Disposing of a borrowed client does nothing. */
function borrowed(client: KubeClient): KubeClient {
  return { ...client, transport: { ...client.transport, [Symbol.asyncDispose]: async () => {} } };
}
