import {
  type Clock,
  LeastRecentlyUsed,
  type Logger,
  type Redact,
  redact,
  Semaphore,
  silentLogger,
  systemClock,
} from "#base";
import { abortable } from "../transport/abortable.ts";
import { ApiError } from "../transport/api-error.ts";
import type { KubeClient } from "../client/client.ts";
import { EventWriter } from "./event-writer.ts";
import { objectId, type ObjectEvent, sanitizeEvent, type Reporter, seriesKey } from "./event-series.ts";
import type { KubeObject } from "../client/object.ts";
import { TokenBuckets } from "./token-buckets.ts";

/** Tells people what happened to an object, as Kubernetes Events. Never fails, and never waits. */
export interface EventRecorder {
  /**
   * The same event about the same object within 10 minutes is counted in one Event, which is written at most every few
   * seconds. An object has 25 different events at once and then one in 5 minutes: more are dropped.
   */
  record(about: KubeObject, event: ObjectEvent): void;
  /** Writes what is counted and not yet written; gives up, without throwing, when the signal says so. */
  flush(signal?: AbortSignal): Promise<void>;
}

export interface EventRecorderOptions {
  readonly reporter: Reporter;
  readonly clock?: Clock;
  /** Between 0 and 1, for names. */
  readonly random?: () => number;
  readonly logger?: Logger;
  /** What masks what is secret to the readers of an object; default: all that is known to be secret to anybody. */
  readonly redactFor?: (about: KubeObject) => Redact;
}

/** As client-go: https://github.com/kubernetes/client-go/blob/v0.34.0/tools/record/events_cache.go */
const seriesWindowMs = 10 * 60_000;
const objectLimits = { burst: 25, refillMs: 5 * 60_000 };
const keptSeries = 4096;
/** Events must not crowd out what they are about. */
const writesAtOnce = 4;
const keptLines = 1000;

export function createEventRecorder(
  client: Pick<KubeClient, "create" | "patch">,
  options: EventRecorderOptions,
): EventRecorder {
  const {
    reporter,
    clock = systemClock,
    random = Math.random,
    logger = silentLogger,
    redactFor = () => redact,
  } = options;
  const places = new Semaphore(writesAtOnce);
  const lines = new LeastRecentlyUsed<string, Semaphore>(keptLines);
  const limits = new TokenBuckets(objectLimits, clock);
  /** In the order of their last event. */
  const writers = new Map<string, EventWriter>();
  const leaving = new Set<Promise<void>>();
  const complaints = new Set<string>();

  function count(about: KubeObject, event: ObjectEvent): void {
    const now = clock.monotonic();
    dropFinished(now);
    const key = seriesKey(about, event);
    const known = writers.get(key);
    if (known) {
      writers.delete(key);
      writers.set(key, known);
      known.countAgain(now);
      return;
    }
    if (!limits.take(objectId(about))) {
      logger.debug("event dropped: too many about this object", { reason: event.reason, name: about.metadata.name });
      return;
    }
    const run = runIn(about.metadata.namespace ?? "");
    const writer = new EventWriter({ client, reporter, clock, random, run, onFailure: complain }, about, event);
    writers.set(key, writer);
  }

  /** Each namespace has a few writes in line at once: however many events one has, those of another do not wait for them. */
  function runIn(namespace: string): (task: () => Promise<void>) => Promise<void> {
    const line = lines.get(namespace, () => new Semaphore(writesAtOnce));
    return (task) => line.run(() => places.run(task));
  }

  function dropFinished(now: number): void {
    for (const [key, writer] of writers) {
      if (now - writer.lastCounted <= seriesWindowMs && writers.size < keptSeries) return;
      writers.delete(key);
      const last = writer.flush();
      leaving.add(last);
      void last.finally(() => leaving.delete(last));
    }
  }

  /** Once a kind of failure: what happens to every event would fill the log. */
  function complain(error: unknown): void {
    const kind = error instanceof ApiError ? error.reason : error instanceof Error ? error.name : "unknown";
    const log = complaints.has(kind) ? logger.debug : logger.warn;
    complaints.add(kind);
    log("event not recorded", { error });
  }

  return {
    record(about, event) {
      try {
        count(about, sanitizeEvent(event, redactFor(about)));
      } catch (error) {
        complain(error);
      }
    },
    async flush(signal) {
      const all = [...leaving, ...[...writers.values()].map((writer) => writer.flush())];
      try {
        await abortable(Promise.all(all), signal);
      } catch (error) {
        complain(error);
      }
    },
  };
}
