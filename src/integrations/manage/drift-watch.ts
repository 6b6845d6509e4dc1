import type { Clock, Logger, Metrics } from "#base";
import { ownerOf, resolveKind } from "#inventory";
import {
  type ApiResource,
  createReflector,
  identityOnly,
  type KubeClient,
  type KubeObject,
  type ObjectTransform,
  reviewOwnAccess,
  type StoreChange,
} from "#kube";
import { managerIdentity } from "../manager-defaults.ts";
import type { OwnWrites } from "./own-writes.ts";
import { targetKey } from "../survey/survey-namespaces.ts";

/** What is to be watched on one cluster. */
export interface WatchedCluster {
  readonly name: string;
  readonly client: KubeClient;
  readonly namespaces: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

export interface DriftWatchOptions {
  readonly ownWrites: OwnWrites;
  /** Whether an object should be there. */
  readonly isWanted: (object: ObservedObject) => boolean;
  /** Called with `cluster/namespace` when another writer has changed something there. */
  readonly onDrift: (target: string) => void;
  /** From now on nothing on a cluster is missed; what was before may have been. */
  readonly onWatching: (cluster: string) => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: Metrics | undefined;
}

export interface ObservedObject {
  readonly cluster: string;
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
}

interface Watch {
  readonly client: KubeClient;
  readonly end: AbortController;
  readonly ended: Promise<void>;
}

/** Written by controllers of Kubernetes, and never desired. */
const noise: ReadonlySet<string> = new Set(["deployment.kubernetes.io/revision"]);

/**
 * Detects drift: changes to managed objects by other writers. Watches metadata only, one kind of a cluster at a time where that is
 * allowed, else one kind of a namespace.
 */
export class DriftWatch implements AsyncDisposable {
  readonly #options: DriftWatchOptions;
  readonly #watches = new Map<string, Watch>();
  readonly #managed = new Map<string, ReadonlySet<string>>();
  readonly #mayWatchAll = new Map<string, boolean>();
  #held: { readonly target: string; readonly cluster: string; readonly version: string | undefined }[] | undefined;

  constructor(options: DriftWatchOptions) {
    this.#options = options;
  }

  /** Starts missing watches and ends those that are no longer needed. */
  async follow(clusters: readonly WatchedCluster[], signal: AbortSignal): Promise<void> {
    const needed = new Set<string>();
    for (const cluster of clusters) {
      const before = this.#managed.get(cluster.name);
      const isWider = before !== undefined && [...cluster.namespaces].some((namespace) => !before.has(namespace));
      this.#managed.set(cluster.name, cluster.namespaces);
      const synced: Promise<void>[] = [];
      for (const { resource, namespace } of await this.#selectionsOf(cluster, signal)) {
        const key = [cluster.name, resource.apiVersion, resource.kind, namespace ?? "*"].join(" ");
        needed.add(key);
        const known = this.#watches.get(key);
        // Clients are copies of each other; what they know of their cluster is shared by all that have one connection.
        if (known?.client.discovery === cluster.client.discovery) continue;
        known?.end.abort();
        synced.push(this.#start(key, cluster, resource, namespace));
      }
      if (synced.length > 0 || isWider) {
        void Promise.allSettled(synced).then(() => this.#options.onWatching(cluster.name));
      }
    }
    for (const [key, { end }] of this.#watches) {
      if (needed.has(key)) continue;
      end.abort();
      this.#watches.delete(key);
    }
  }

  /** Keeps news back while we write ourselves: what was ours is known only when the server has answered. */
  hold(): Disposable {
    this.#held ??= [];
    return {
      [Symbol.dispose]: () => {
        const held = this.#held ?? [];
        this.#held = undefined;
        for (const { target, cluster, version } of held) {
          if (!this.#options.ownWrites.has(cluster, version)) this.#options.onDrift(target);
        }
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { end } of this.#watches.values()) end.abort();
    await Promise.all([...this.#watches.values()].map(({ ended }) => ended));
    this.#watches.clear();
  }

  async #selectionsOf(
    { name, client, namespaces, kinds }: WatchedCluster,
    signal: AbortSignal,
  ): Promise<{ readonly resource: ApiResource; readonly namespace: string | undefined }[]> {
    const resources = await client.discovery.resources(signal);
    const found = new Map<string, ApiResource>();
    for (const kind of kinds) {
      const resource = resolveKind(kind, resources);
      if (resource?.verbs.includes("watch")) found.set(`${resource.apiVersion} ${resource.kind}`, resource);
    }
    const selections = [...found.values()].map(async (resource) => {
      const isWhole = namespaces.size > 1 && (await this.#mayWatch(name, client, resource, signal));
      return isWhole
        ? [{ resource, namespace: undefined }]
        : [...namespaces].map((namespace) => ({ resource, namespace }));
    });
    return (await Promise.all(selections)).flat();
  }

  /** Checked once: rights change rarely, and a refused watch is logged. */
  async #mayWatch(cluster: string, client: KubeClient, resource: ApiResource, signal: AbortSignal): Promise<boolean> {
    const { group, plural } = resource;
    const key = `${cluster} ${plural}.${group}`;
    const known = this.#mayWatchAll.get(key);
    if (known !== undefined) return known;
    const answers = await Promise.all(
      ["list", "watch"].map((verb) => reviewOwnAccess(client, { verb, group, resource: plural }, signal)),
    );
    const isAllowed = answers.every((answer) => answer.isAllowed);
    this.#mayWatchAll.set(key, isAllowed);
    return isAllowed;
  }

  /** Resolves when everything is known that was there. */
  #start(key: string, cluster: WatchedCluster, resource: ApiResource, namespace: string | undefined): Promise<void> {
    const { clock, random, log, metrics } = this.#options;
    const { apiVersion, kind } = resource;
    const end = new AbortController();
    const reflector = createReflector({
      client: cluster.client,
      selection: { apiVersion, kind, namespace, metadataOnly: true },
      clock,
      random,
      log: log.child({ cluster: cluster.name }),
      ...(metrics ? { metrics } : {}),
      transform: keepLittle((target) => this.#isManaged(cluster.name, target)),
    });
    const seen = new Map<string, string>();
    reflector.subscribe((change) => this.#hear(change, cluster.name, kind, seen));
    const ended = reflector.run(end.signal);
    this.#watches.set(key, { client: cluster.client, end, ended });
    return reflector.whenSynced(end.signal);
  }

  #isManaged(cluster: string, namespace: string | undefined): boolean {
    return namespace !== undefined && (this.#managed.get(cluster)?.has(namespace) ?? false);
  }

  #hear({ type, key, object, isInitial }: StoreChange, cluster: string, kind: string, seen: Map<string, string>): void {
    const { namespace, name, resourceVersion } = object.metadata;
    if (namespace === undefined || !this.#isManaged(cluster, namespace)) return;
    const before = seen.get(key);
    const now = type === "deleted" ? undefined : fingerprint(object);
    if (now === undefined) seen.delete(key);
    else seen.set(key, now);
    if (isInitial || now === before) return;
    const isOurs = now !== undefined && ownerOf(object.metadata) === managerIdentity.integration;
    if (!isOurs && !this.#options.isWanted({ cluster, namespace, kind, name })) return;
    const version = type === "deleted" ? undefined : resourceVersion;
    const news = { target: targetKey(cluster, namespace), cluster, version };
    if (this.#held) this.#held.push(news);
    else if (!this.#options.ownWrites.has(cluster, version)) this.#options.onDrift(news.target);
  }
}

/** Changes when the object is changed, and not when a controller updates its status. */
function fingerprint({ metadata }: KubeObject): string {
  const { uid, generation, resourceVersion, deletionTimestamp, labels = {}, annotations = {} } = metadata;
  const told = Object.entries(annotations).filter(([name]) => !noise.has(name));
  return JSON.stringify([uid, generation ?? resourceVersion, deletionTimestamp, Object.entries(labels), told]);
}

/** Of objects in other people's namespaces only what identifies them is kept. */
function keepLittle(isManaged: (namespace: string | undefined) => boolean): ObjectTransform {
  return (object) => {
    const { apiVersion, kind, metadata } = object;
    return isManaged(metadata.namespace) ? { apiVersion, kind, metadata } : identityOnly(object);
  };
}
