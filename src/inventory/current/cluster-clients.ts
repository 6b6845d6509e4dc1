import { describeError, type Metrics, Semaphore } from "#base";
import type { KubeClient } from "#kube";
import { inventoryMetrics, type InventoryMetrics } from "../inventory-metrics.ts";

/** A cluster that takes part in a run, and how it is reached. */
export interface ClusterSource {
  readonly name: string;
  /** Makes the client. What is missing, a token or an address, is an `InputError` that says so. */
  readonly open: (signal: AbortSignal) => Promise<KubeClient>;
  /** Makes a second one, for objects that only an administrator of the cluster may write. */
  readonly openPrivileged?: (signal: AbortSignal) => Promise<KubeClient>;
  /** Why the cluster is left out of this run, if it is; not an error. */
  readonly skip?: string;
}

/** Why there is no client for a cluster. */
export interface Unreachable {
  readonly cluster: string;
  readonly what: string;
  readonly next?: string | undefined;
}

interface Opened {
  readonly client: KubeClient;
  readonly privileged: KubeClient | undefined;
}

/** The clients of a run, by cluster, and the clusters it could not reach. */
export class ClusterClients implements AsyncDisposable {
  readonly #opened = new Map<string, Opened>();
  readonly #unreachable = new Map<string, Unreachable>();
  readonly #skipped = new Map<string, string>();

  /** Clients that the caller created and will dispose of. */
  static of(clients: Readonly<Record<string, KubeClient>>): ClusterClients {
    const all = new ClusterClients();
    for (const [name, client] of Object.entries(clients)) all.#opened.set(name, { client, privileged: undefined });
    return all;
  }

  /**
   * Opens all clusters at once, at most so many at a time, and asks each what it serves: one that does not answer is noted as
   * unreachable and delays no other.
   */
  static async connect(
    sources: readonly ClusterSource[],
    {
      threadPoolSize = 10,
      metrics,
    }: { readonly threadPoolSize?: number | undefined; readonly metrics?: Metrics | undefined },
    signal: AbortSignal,
  ): Promise<ClusterClients> {
    const all = new ClusterClients();
    const places = new Semaphore(threadPoolSize);
    const counts = inventoryMetrics(metrics);
    const distinct = new Map(sources.map((source) => [source.name, source]));
    await Promise.all(
      [...distinct.values()].map((source) => places.run(() => all.#open(source, counts, signal), signal)),
    );
    return all;
  }

  /** The client for ordinary or for privileged objects; `undefined` if the cluster is out of reach or left out. */
  get(
    cluster: string,
    { privileged = false }: { readonly privileged?: boolean | undefined } = {},
  ): KubeClient | undefined {
    const opened = this.#opened.get(cluster);
    return privileged ? (opened?.privileged ?? opened?.client) : opened?.client;
  }

  /** Those that could not be reached, each with the reason. */
  get unreachable(): readonly Unreachable[] {
    return [...this.#unreachable.values()];
  }

  /** Why a cluster has no client, for people. */
  explain(cluster: string): Unreachable {
    const known = this.#unreachable.get(cluster);
    if (known) return known;
    const skipped = this.#skipped.get(cluster);
    return {
      cluster,
      what: skipped === undefined ? `cluster ${cluster} is not known` : `cluster ${cluster} is left out: ${skipped}`,
      next: skipped === undefined ? `known are ${[...this.#opened.keys()].join(", ") || "none"}` : undefined,
    };
  }

  /** Whether the cluster is left out of the run on purpose. */
  isSkipped(cluster: string): boolean {
    return this.#skipped.has(cluster);
  }

  /** Ends the connections of the clients that `connect` made. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#owned.map((client) => client.transport[Symbol.asyncDispose]()));
  }

  readonly #owned: KubeClient[] = [];

  async #open(
    { name, open, openPrivileged, skip }: ClusterSource,
    counts: InventoryMetrics,
    signal: AbortSignal,
  ): Promise<void> {
    if (skip !== undefined) {
      this.#skipped.set(name, skip);
      return;
    }
    try {
      const client = await open(signal);
      this.#owned.push(client);
      counts.opened(name);
      const privileged = await openPrivileged?.(signal);
      if (privileged) {
        this.#owned.push(privileged);
        counts.opened(name);
      }
      await client.discovery.resources(signal);
      this.#opened.set(name, { client, privileged });
    } catch (error) {
      signal.throwIfAborted();
      this.#unreachable.set(name, {
        cluster: name,
        what: `cluster ${name} cannot be used: ${describeError(error)}`,
        next: "nothing changes there; other clusters are not affected",
      });
    }
  }
}
