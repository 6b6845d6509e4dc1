import type { Clock } from "#base";
import { type BackoffOptions, KeyBackoff } from "./key-backoff.ts";
import type { DueEntry } from "./due-heap.ts";
import type { QueueNode } from "./fair-queue.ts";
import { type Priority, ReadyQueue } from "./ready-queue.ts";
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
  /** How many live keys may pass a waiting background key. */
  readonly liveBurst?: number;
  readonly metrics?: QueueMetrics;
}

/** A key that waits, runs, or both. */
interface Entry {
  readonly key: string;
  priority: Priority;
  /** Since when the key is wanted now; undefined while it is not. */
  readySince: number | undefined;
  /** In line; a key that is wanted while it runs joins the line when it is done. */
  place: QueueNode<Entry> | undefined;
  /** Wanted later. Never together with `readySince`: of all wishes the earliest counts. */
  appointment: DueEntry<Entry> | undefined;
  runningSince: number | undefined;
}

interface Waiter {
  resolve(item: WorkItem | undefined): void;
}

/**
 * Keys to work on: each at most once in the queue and never with two workers at a time.
 *
 * A run serves every wish that was uttered before it started, `addAfter` included: it is the run that says when to look
 * again. Live keys go first, but at most `liveBurst` in a row while a background key waits; within a priority namespaces
 * take turns, and within a namespace the order is that of arrival.
 */
export class WorkQueue {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #backoff: KeyBackoff;
  readonly #metrics: QueueMetrics;
  readonly #entries = new Map<string, Entry>();
  readonly #lines: ReadyQueue<Entry>;
  readonly #schedule: Schedule<Entry>;
  readonly #running = new Set<Entry>();
  readonly #waiters = new Set<Waiter>();
  readonly #scrapes: Disposable;
  #depth = 0;
  #isClosed = false;

  constructor(options: WorkQueueOptions) {
    this.#clock = options.clock;
    this.#backoff = new KeyBackoff(options, options.random);
    this.#lines = new ReadyQueue(options.liveBurst ?? 8, ({ key }) => namespaceOf(key));
    this.#schedule = new Schedule(options.clock, (entry) => this.#makeReady(entry));
    this.#metrics = options.metrics ?? noQueueMetrics;
    this.#scrapes = this.#metrics.watch(() => this.running().map(({ forMs }) => forMs / 1000));
  }

  /** How many keys are wanted now and not yet taken. */
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

  /** The earliest of several wishes wins. */
  addAfter(key: string, ms: number, priority: Priority = "live"): void {
    if (this.#isClosed) return;
    if (ms <= 0) {
      this.add(key, priority);
      return;
    }
    const entry = this.#entry(key, priority);
    if (entry.readySince === undefined) entry.appointment = this.#schedule.arrange(entry, ms, entry.appointment);
  }

  /** Counts a failure and adds the key after its backoff, which is returned. */
  retry(key: string, priority: Priority = "live"): number {
    const ms = this.#backoff.next(key);
    this.#metrics.retried();
    this.addAfter(key, ms, priority);
    return ms;
  }

  /** The key succeeded: its next failure is its first. */
  forget(key: string): void {
    this.#backoff.forget(key);
  }

  /** Waits for a key, which is the caller's until `done`; undefined when the queue is shut down and has no more. */
  get(signal?: AbortSignal): Promise<WorkItem | undefined> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const entry = this.#lines.take();
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
    if (entry?.runningSince === undefined) throw new Error(`${key} is not being worked on`);
    this.#metrics.worked((this.#clock.monotonic() - entry.runningSince) / 1000);
    entry.runningSince = undefined;
    this.#running.delete(entry);
    if (entry.readySince !== undefined) this.#joinLine(entry);
    this.#deleteIfIdle(entry);
    this.#serveWaiters();
    this.#endScrapes();
  }

  /** Takes no more keys. drain: what is wanted now is still handed out; drop: nothing is. What is wanted later is dropped. */
  shutDown(mode: "drain" | "drop"): void {
    this.#isClosed = true;
    this.#schedule.clear();
    for (const entry of this.#entries.values()) {
      entry.appointment = undefined;
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
        readySince: undefined,
        place: undefined,
        appointment: undefined,
        runningSince: undefined,
      };
      this.#entries.set(key, fresh);
      return fresh;
    }
    const isWanted = entry.readySince !== undefined || entry.appointment !== undefined;
    if (!isWanted) entry.priority = priority;
    else if (priority === "live" && entry.priority === "background") this.#moveUp(entry);
    return entry;
  }

  #moveUp(entry: Entry): void {
    const isInLine = entry.place !== undefined;
    this.#leaveLine(entry);
    entry.priority = "live";
    if (isInLine) this.#joinLine(entry);
  }

  #makeReady(entry: Entry): void {
    if (entry.appointment) this.#schedule.cancel(entry.appointment);
    entry.appointment = undefined;
    entry.readySince = this.#clock.monotonic();
    this.#metrics.added();
    this.#setDepth(this.#depth + 1);
    if (entry.runningSince !== undefined) return;
    this.#joinLine(entry);
    this.#serveWaiters();
  }

  #unready(entry: Entry): void {
    if (entry.readySince === undefined) return;
    this.#leaveLine(entry);
    entry.readySince = undefined;
    this.#setDepth(this.#depth - 1);
  }

  #joinLine(entry: Entry): void {
    entry.place = this.#lines.join(entry, entry.priority);
  }

  #leaveLine(entry: Entry): void {
    if (entry.place) this.#lines.leave(entry.place, entry.priority);
    entry.place = undefined;
  }

  #start(entry: Entry): WorkItem {
    const now = this.#clock.monotonic();
    this.#metrics.waited((now - (entry.readySince ?? now)) / 1000);
    entry.place = undefined;
    entry.readySince = undefined;
    entry.runningSince = now;
    this.#running.add(entry);
    this.#setDepth(this.#depth - 1);
    return { key: entry.key, priority: entry.priority };
  }

  #serveWaiters(): void {
    for (const waiter of this.#waiters) {
      const entry = this.#lines.take();
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
    const isIdle =
      entry.readySince === undefined && entry.appointment === undefined && entry.runningSince === undefined;
    if (isIdle) this.#entries.delete(entry.key);
  }

  #setDepth(depth: number): void {
    this.#depth = depth;
    this.#metrics.depth(depth);
  }
}

/** Of a key without one, none, which is a namespace like the others. */
function namespaceOf(key: string): string {
  return key.slice(0, Math.max(0, key.indexOf("/")));
}
