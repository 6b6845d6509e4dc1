import { type Clock, type Logger, type Metrics, redact, silentLogger } from "#base";
import type { ObjectSelection } from "../client/object.ts";
import { abortable } from "../transport/abortable.ts";
import { ApiError } from "../transport/api-error.ts";
import { backoffMs } from "../transport/backoff.ts";
import { Follower, type FollowOutcome } from "./follower.ts";
import type { Indexer } from "./object-indexes.ts";
import { createObjectStore, type ObjectChange, type ObjectStore } from "./object-store.ts";
import { type ObjectTransform, transformForStore } from "./object-transform.ts";
import { reflectorMetrics } from "./reflector-metrics.ts";
import type { ReflectorSource } from "./reflector-source.ts";
import { Replica } from "./replica.ts";

/** `isInitial` marks objects that existed when the reflector started, so that live changes can be handled first. */
export type StoreChange = ObjectChange & { readonly isInitial: boolean };

/** Keeps a copy of the objects of one selection in memory, and follows the cluster's changes. */
export interface Reflector {
  readonly store: ObjectStore;
  /** Whether the store has been complete once. Stays true during failures, while the store may be out of date. */
  readonly hasSynced: boolean;
  /** Why the store is not up to date now, in a sentence; undefined while it is. */
  readonly problem: string | undefined;
  /** Rejects when the signal is aborted, or the reflector is stopped before. */
  whenSynced(signal?: AbortSignal): Promise<void>;
  /** Called with each change, in order, after it is in the store. Not called for objects already in the store. */
  subscribe(listener: (change: StoreChange) => void): Disposable;
  /** Follows the cluster until the signal is aborted, and retries after failures. Can be called once. */
  run(signal: AbortSignal): Promise<void>;
}

export interface ReflectorOptions {
  readonly client: ReflectorSource;
  readonly selection: ObjectSelection;
  readonly clock: Clock;
  /** Between 0 and 1, for jitter. */
  readonly random: () => number;
  readonly metrics?: Metrics;
  readonly log?: Logger;
  readonly transform?: ObjectTransform;
  readonly indexers?: Readonly<Record<string, Indexer>>;
  /** How long a watch may be silent before it is restarted; default 90 s. API servers send a bookmark about every minute. */
  readonly silenceMs?: number;
}

const retryBounds = { shortestMs: 500, longestMs: 30_000 };
/** After following the cluster for so long, earlier failures no longer count. */
const healthyMs = 10_000;

export function createReflector(options: ReflectorOptions): Reflector {
  const { client, selection, clock, random, metrics, transform, indexers = {}, silenceMs = 90_000 } = options;
  const what = describeSelection(selection);
  const log = (options.log ?? silentLogger).child({ reflector: what });
  const measured = reflectorMetrics(metrics, what);
  const listeners = new Set<(change: StoreChange) => void>();
  const gate = new SyncGate();
  const store = createObjectStore({
    onChange: announce,
    indexers,
    onIndexerError: (index, error) => log.error("an indexer failed", { index, error }),
  });
  const replica = new Replica(
    store,
    transformForStore(transform, (error) => log.error("a transform failed", { error })),
  );
  const follower = new Follower({
    source: client,
    selection,
    replica,
    clock,
    random,
    metrics: measured,
    silenceMs,
    onActivity: recover,
    onFollowing: settle,
  });
  let isStarted = false;
  let failures = 0;
  let problem: string | undefined;
  let settling: Disposable | undefined;

  function announce(change: ObjectChange): void {
    const announced = { ...change, isInitial: !gate.isOpen };
    for (const listener of listeners) {
      try {
        listener(announced);
      } catch (error) {
        log.error("a subscriber failed", { key: change.key, error });
      }
    }
  }

  function settle(): void {
    measured.kept(store.size);
    // A watch without changes is silent for up to a minute, but a refused one would have ended by then.
    if (problem !== undefined) settling = clock.after(healthyMs, recover);
    if (gate.isOpen) return;
    gate.open();
    log.debug("synced", { objects: store.size });
  }

  function recover(): void {
    if (problem === undefined) return;
    problem = undefined;
    log.info("the API server answers again");
  }

  function reportProblem(error: unknown): void {
    const sentence = `cannot watch ${what}: ${redact(error instanceof Error ? error.message : String(error))}`;
    if (sentence !== problem) log.warn("cannot watch; retrying", { error });
    problem = sentence;
  }

  /** How long to wait before the next attempt. */
  function pauseAfter(outcome: FollowOutcome): number {
    if (outcome.followedMs >= healthyMs) failures = 0;
    if (outcome.kind === "ended") return 0;
    const { kind, error } = outcome;
    if (kind === "no initial events") {
      log.info("the API server does not send initial events; listing instead", { error });
      return 0;
    }
    if (kind === "silent" && outcome.followedMs > 0) {
      // Where nothing changes, some API servers send nothing. If this one is gone, the next request finds out.
      log.debug("no event for a while; watching again");
      return 0;
    }
    measured.failed();
    if (kind === "silent") {
      reportProblem(error);
      return 0;
    }
    failures += 1;
    if (kind === "expired" && failures === 1) {
      log.info("the resource version has expired; reading everything again");
      return 0;
    }
    reportProblem(error);
    const requestedMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    return Math.min(Math.max(requestedMs, backoffMs(failures, retryBounds, random)), retryBounds.longestMs);
  }

  return {
    store,
    get hasSynced() {
      return gate.isOpen;
    },
    get problem() {
      return problem;
    },
    whenSynced: (signal) => gate.whenOpen(signal),
    subscribe(listener) {
      // A new function each time, so that subscribing the same listener twice makes two subscriptions.
      const subscription = (change: StoreChange): void => listener(change);
      listeners.add(subscription);
      return { [Symbol.dispose]: () => void listeners.delete(subscription) };
    },
    async run(signal) {
      if (isStarted) throw new Error(`the reflector of ${what} was started twice`);
      isStarted = true;
      while (!signal.aborted) {
        const outcome = await follower.follow(signal);
        settling?.[Symbol.dispose]();
        if (signal.aborted) break;
        const pauseMs = pauseAfter(outcome);
        // An abort ends the pause, and with it the loop.
        if (pauseMs > 0) await clock.sleep(pauseMs, signal).catch(() => {});
      }
      gate.close(signal.reason);
    },
  };
}

function describeSelection({ apiVersion, kind, namespace, labelSelector, fieldSelector }: ObjectSelection): string {
  const selectors = [labelSelector, fieldSelector].filter(Boolean).join(",");
  return `${kind} (${apiVersion})${namespace ? ` in ${namespace}` : ""}${selectors ? ` where ${selectors}` : ""}`;
}

/** Opens once and stays open, unless it is closed before that. */
class SyncGate {
  readonly #opening = Promise.withResolvers<void>();
  #isOpen = false;

  constructor() {
    // A rejection without a waiter is not an error.
    this.#opening.promise.catch(() => {});
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
    this.#opening.resolve();
  }

  /** Rejects the waiters with this error if the gate has not opened. */
  close(error: unknown): void {
    this.#opening.reject(error);
  }

  whenOpen(signal?: AbortSignal): Promise<void> {
    return abortable(this.#opening.promise, signal);
  }
}
