import type { Clock } from "#base";
import { type BackoffOptions, KeyBackoff } from "./key-backoff.ts";
import type { DueEntry } from "./due-heap.ts";
import type { QueueNode } from "./fair-queue.ts";
import { isMoreUrgent, type Priority, ReadyQueue } from "./ready-queue.ts";
import { noQueueMetrics, type QueueMetrics } from "./runtime-metrics.ts";
import { Schedule } from "./schedule.ts";

export interface WorkItem {
  readonly key: string;
  readonly priority: Priority;
}

export interface RunningKey {
  readonly key: string;
  readonly forMs: number;
}

export interface WorkQueueOptions extends BackoffOptions {
  readonly clock: Pick<Clock, "monotonic" | "after">;
  readonly random: () => number;
  /** How many live keys in a row may overtake a waiting background key; default 8. */
  readonly liveBurst?: number;
  /** The group of a key, whose keys follow each other within a namespace; default: first in, first out. */
  readonly groupOf?: ((key: string) => string) | undefined;
  readonly metrics?: QueueMetrics;
}

/** A key that waits, is being processed, or both. */
interface Entry {
  readonly key: string;
  priority: Priority;
  /** As it was when the key was queued. */
  group: string;
  /** Since when the key is ready; undefined while it is not. */
  readySince: number | undefined;
  /** Its node in the ready queue. A key that becomes ready while it runs is queued when it is done. */
  node: QueueNode<Entry> | undefined;
  /** When it becomes ready. Never together with `readySince`: of several requests the earliest counts. */
  scheduled: DueEntry<Entry> | undefined;
  runningSince: number | undefined;
}

interface Waiter {
  resolve(item: WorkItem | undefined): void;
}

/**
 * Keys to process: each is in the queue at most once and never with two workers at a time.
 *
 * One run serves every request made before it started, `addAfter` included: the run decides when the next one is due.
 * Resumed keys go first, then live ones, but at most `liveBurst` in a row while a background key waits; within a priority namespaces take
 * turns, and within a namespace the order is first in, first out, or by groups.
 */
export class WorkQueue {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #backoff: KeyBackoff;
  readonly #metrics: QueueMetrics;
  readonly #entries = new Map<string, Entry>();
  readonly #ready: ReadyQueue<Entry>;
  readonly #groupOf: ((key: string) => string) | undefined;
  readonly #schedule: Schedule<Entry>;
  readonly #running = new Set<Entry>();
  readonly #waiters = new Set<Waiter>();
  readonly #scrapes: Disposable;
  #depth = 0;
  #isClosed = false;

  constructor(options: WorkQueueOptions) {
    this.#clock = options.clock;
    this.#backoff = new KeyBackoff(options, options.random);
    this.#groupOf = options.groupOf;
    this.#ready = new ReadyQueue(
      options.liveBurst ?? 8,
      ({ key }) => namespaceOf(key),
      options.groupOf && (({ group }) => group),
    );
    this.#schedule = new Schedule(options.clock, (entry) => this.#makeReady(entry));
    this.#metrics = options.metrics ?? noQueueMetrics;
    this.#scrapes = this.#metrics.watch(() => this.running().map(({ forMs }) => forMs / 1000));
  }

  /** How many keys are ready and not yet taken. */
  get depth(): number {
    return this.#depth;
  }

  running(): RunningKey[] {
    const now = this.#clock.monotonic();
    return [...this.#running].map(({ key, runningSince = now }) => ({ key, forMs: now - runningSince }));
  }

  add(key: string, priority: Priority = "live"): void {
    if (this.#isClosed) return;
    const entry = this.#entry(key, priority);
    if (entry.readySince === undefined) this.#makeReady(entry);
  }

  /** Of several delays for a key, the earliest counts. */
  addAfter(key: string, ms: number, priority: Priority = "live"): void {
    if (this.#isClosed) return;
    if (ms <= 0) {
      this.add(key, priority);
      return;
    }
    const entry = this.#entry(key, priority);
    if (entry.readySince === undefined) entry.scheduled = this.#schedule.set(entry, ms, entry.scheduled);
  }

  /** Counts a failure and adds the key after its backoff. Returns the backoff. */
  retry(key: string, priority: Priority = "live"): number {
    const ms = this.#backoff.next(key);
    this.#metrics.retried();
    this.addAfter(key, ms, priority);
    return ms;
  }

  /** Resets the backoff of a key, after a success. */
  forget(key: string): void {
    this.#backoff.forget(key);
  }

  /** Waits for a key, which no other caller gets until `done`. Undefined when the queue is shut down and empty. */
  get(signal?: AbortSignal): Promise<WorkItem | undefined> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const entry = this.#ready.shift();
    if (entry) return Promise.resolve(this.#start(entry));
    if (this.#hasEnded()) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiters.delete(waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        resolve(item) {
          signal?.removeEventListener("abort", giveUp);
          resolve(item);
        },
      };
      this.#waiters.add(waiter);
      signal?.addEventListener("abort", giveUp, { once: true });
    });
  }

  done(key: string): void {
    const entry = this.#entries.get(key);
    if (entry?.runningSince === undefined) throw new Error(`${key} is not in progress`);
    this.#metrics.worked((this.#clock.monotonic() - entry.runningSince) / 1000);
    entry.runningSince = undefined;
    this.#running.delete(entry);
    if (entry.readySince !== undefined) this.#enqueue(entry);
    this.#deleteIfIdle(entry);
    this.#serveWaiters();
    this.#endScrapes();
  }

  /** Accepts no more keys and drops the scheduled ones. drain: ready keys are still handed out; drop: they are dropped too. */
  shutDown(mode: "drain" | "drop"): void {
    this.#isClosed = true;
    this.#schedule.clear();
    for (const entry of this.#entries.values()) {
      entry.scheduled = undefined;
      if (mode === "drop") this.#unready(entry);
      this.#deleteIfIdle(entry);
    }
    this.#serveWaiters();
    this.#endScrapes();
  }

  /** The key's entry, at the higher of the priority it has and the one given. */
  #entry(key: string, priority: Priority): Entry {
    const entry = this.#entries.get(key);
    if (!entry) {
      const fresh: Entry = {
        key,
        priority,
        group: "",
        readySince: undefined,
        node: undefined,
        scheduled: undefined,
        runningSince: undefined,
      };
      this.#entries.set(key, fresh);
      return fresh;
    }
    const isPending = entry.readySince !== undefined || entry.scheduled !== undefined;
    if (!isPending) entry.priority = priority;
    else if (isMoreUrgent(priority, entry.priority)) this.#moveUp(entry, priority);
    return entry;
  }

  #moveUp(entry: Entry, priority: Priority): void {
    const isQueued = entry.node !== undefined;
    this.#dequeue(entry);
    entry.priority = priority;
    if (isQueued) this.#enqueue(entry);
  }

  #makeReady(entry: Entry): void {
    if (entry.scheduled) this.#schedule.cancel(entry.scheduled);
    entry.scheduled = undefined;
    entry.readySince = this.#clock.monotonic();
    this.#metrics.added();
    this.#setDepth(this.#depth + 1);
    if (entry.runningSince !== undefined) return;
    this.#enqueue(entry);
    this.#serveWaiters();
  }

  #unready(entry: Entry): void {
    if (entry.readySince === undefined) return;
    this.#dequeue(entry);
    entry.readySince = undefined;
    this.#setDepth(this.#depth - 1);
  }

  #enqueue(entry: Entry): void {
    entry.group = this.#groupOf?.(entry.key) ?? "";
    entry.node = this.#ready.push(entry, entry.priority);
  }

  #dequeue(entry: Entry): void {
    if (entry.node) this.#ready.remove(entry.node, entry.priority);
    entry.node = undefined;
  }

  #start(entry: Entry): WorkItem {
    const now = this.#clock.monotonic();
    this.#metrics.waited((now - (entry.readySince ?? now)) / 1000);
    entry.node = undefined;
    entry.readySince = undefined;
    entry.runningSince = now;
    this.#running.add(entry);
    this.#setDepth(this.#depth - 1);
    return { key: entry.key, priority: entry.priority };
  }

  #serveWaiters(): void {
    for (const waiter of this.#waiters) {
      const entry = this.#ready.shift();
      if (!entry && !this.#hasEnded()) return;
      this.#waiters.delete(waiter);
      waiter.resolve(entry && this.#start(entry));
    }
  }

  #hasEnded(): boolean {
    return this.#isClosed && this.#depth === 0;
  }

  #endScrapes(): void {
    if (this.#hasEnded() && this.#running.size === 0) this.#scrapes[Symbol.dispose]();
  }

  #deleteIfIdle(entry: Entry): void {
    const isIdle = entry.readySince === undefined && entry.scheduled === undefined && entry.runningSince === undefined;
    if (isIdle) this.#entries.delete(entry.key);
  }

  #setDepth(depth: number): void {
    this.#depth = depth;
    this.#metrics.depth(depth);
  }
}

/** Keys without a namespace share the empty one, which takes its turn like any other. */
function namespaceOf(key: string): string {
  return key.slice(0, Math.max(0, key.indexOf("/")));
}
