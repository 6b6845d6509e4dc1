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

/** Records what happened to an object as Kubernetes Events. `record` never throws and never waits. */
export interface EventRecorder {
  /**
   * The same event about the same object within 10 minutes is counted in one Event, which is written at most every few
   * seconds. An object may have 25 different events in a burst and then one every 5 minutes; more are dropped.
   */
  record(about: KubeObject, event: ObjectEvent): void;
  /** Writes pending counts. Gives up, without throwing, when the signal is aborted. */
  flush(signal?: AbortSignal): Promise<void>;
}

export interface EventRecorderOptions {
  readonly reporter: Reporter;
  readonly clock?: Clock;
  /** Between 0 and 1, for names. */
  readonly random?: () => number;
  readonly logger?: Logger;
  /** Masks secrets in texts that readers of the object see; default: every secret that this process knows. */
  readonly redactFor?: (about: KubeObject) => Redact;
}

/** As client-go: https://github.com/kubernetes/client-go/blob/v0.34.0/tools/record/events_cache.go */
const seriesWindowMs = 10 * 60_000;
const objectLimits = { burst: 25, refillMs: 5 * 60_000 };
const keptSeries = 4096;
/** Few, so that events leave connections for other calls. */
const writesAtOnce = 4;
const keptNamespaces = 1000;

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
  const allSlots = new Semaphore(writesAtOnce);
  const namespaces = new LeastRecentlyUsed<string, Semaphore>(keptNamespaces);
  const limits = new TokenBuckets(objectLimits, clock);
  /** In the order of their last event. */
  const writers = new Map<string, EventWriter>();
  const finishing = new Set<Promise<void>>();
  const warnedKinds = new Set<string>();

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
    const writer = new EventWriter({ client, reporter, clock, random, run, onFailure: reportFailure }, about, event);
    writers.set(key, writer);
  }

  /** Each namespace has a limit of its own, so that many events of one do not delay those of another. */
  function runIn(namespace: string): (task: () => Promise<void>) => Promise<void> {
    const slots = namespaces.get(namespace, () => new Semaphore(writesAtOnce));
    return (task) => slots.run(() => allSlots.run(task));
  }

  function dropFinished(now: number): void {
    for (const [key, writer] of writers) {
      if (now - writer.lastCounted <= seriesWindowMs && writers.size < keptSeries) return;
      writers.delete(key);
      const last = writer.flush();
      finishing.add(last);
      void last.finally(() => finishing.delete(last));
    }
  }

  /** Warns once for each kind of failure, because a failure of every event would fill the log. */
  function reportFailure(error: unknown): void {
    const kind = error instanceof ApiError ? error.reason : error instanceof Error ? error.name : "unknown";
    const log = warnedKinds.has(kind) ? logger.debug : logger.warn;
    warnedKinds.add(kind);
    log("event not recorded", { error });
  }

  return {
    record(about, event) {
      try {
        count(about, sanitizeEvent(event, redactFor(about)));
      } catch (error) {
        reportFailure(error);
      }
    },
    async flush(signal) {
      const all = [...finishing, ...[...writers.values()].map((writer) => writer.flush())];
      try {
        await abortable(Promise.all(all), signal);
      } catch (error) {
        reportFailure(error);
      }
    },
  };
}
