import type { Clock } from "#base";
import type { SourceChanges } from "../bundle.ts";
import type { NotifyChange } from "./file-tree.ts";

/** Starts a watch that calls `notify` after every change. Resolves when it watches, rejects when it cannot. */
export type StartWatch = (notify: NotifyChange, signal: AbortSignal) => Promise<void>;

/** Programs write many files for one change: wait until nothing changed for `quietMs`, but at most `longestWaitMs`. */
const quietMs = 100;
const longestWaitMs = 2_000;

/**
 * Debounces the notifications of watches. Changes while the consumer is busy are in its next item.
 * The watches start at once, not with the first item.
 */
export function debounceChanges(
  watches: readonly (StartWatch | undefined)[],
  clock: Clock,
  signal: AbortSignal,
): AsyncIterable<SourceChanges> {
  const pending = watches.map(() => new PendingChanges());
  const end = new AbortController();
  const until = AbortSignal.any([signal, end.signal]);
  const started = Promise.all(pending.map(async (changes, index) => watches[index]?.(changes.notify, until)));
  // The iterator below throws it; without a consumer it must not be an unhandled rejection.
  started.catch(() => undefined);
  return (async function* () {
    try {
      await started;
      while (!signal.aborted) {
        await waitForChange(pending, signal);
        await waitUntilQuiet(pending, clock, signal);
        yield pending.map((changes) => changes.take());
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      end.abort();
    }
  })();
}

async function waitForChange(pending: readonly PendingChanges[], signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  for (const changes of pending) changes.onChange(resolve);
  await promise.finally(() => signal.removeEventListener("abort", abort));
}

async function waitUntilQuiet(pending: readonly PendingChanges[], clock: Clock, signal: AbortSignal): Promise<void> {
  const deadline = clock.monotonic() + longestWaitMs;
  for (let before = -1; before !== countOf(pending) && clock.monotonic() < deadline; ) {
    before = countOf(pending);
    await clock.sleep(quietMs, signal);
  }
}

function countOf(pending: readonly PendingChanges[]): number {
  return pending.reduce((sum, changes) => sum + changes.count, 0);
}

class PendingChanges {
  count = 0;
  #directories = new Set<string>();
  #isEverywhere = false;
  #wake: (() => void) | undefined;

  readonly notify: NotifyChange = (directory) => {
    this.count++;
    if (directory === undefined) this.#isEverywhere = true;
    else this.#directories.add(directory);
    this.#wake?.();
  };

  onChange(wake: () => void): void {
    this.#wake = wake;
    if (this.count > 0) wake();
  }

  take(): ReadonlySet<string> | "everything" {
    const taken = this.#isEverywhere ? "everything" : this.#directories;
    this.count = 0;
    this.#directories = new Set();
    this.#isEverywhere = false;
    return taken;
  }
}
