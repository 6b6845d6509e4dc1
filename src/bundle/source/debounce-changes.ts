import type { Clock } from "#base";
import type { SourceChanges } from "../bundle.ts";
import type { NotifyChange } from "./file-tree.ts";

/** Starts something that rings after every change; resolves when it listens, or rejects when it cannot. */
export type StartWatch = (ring: NotifyChange, signal: AbortSignal) => Promise<void>;

/** Programs write many files for one change: wait until it has been quiet for so long, but not for ever. */
const quietMs = 100;
const patienceMs = 2_000;

/**
 * Turns rings into an iterable that never loses one: whatever rings while the listener is busy, it hears afterwards.
 * The watches start at once, not when the listener asks for the first time.
 */
export function debounceChanges(
  watches: readonly (StartWatch | undefined)[],
  clock: Clock,
  signal: AbortSignal,
): AsyncIterable<SourceChanges> {
  const bells = watches.map(() => new PendingChanges());
  const end = new AbortController();
  const until = AbortSignal.any([signal, end.signal]);
  const started = Promise.all(bells.map(async (bell, index) => watches[index]?.(bell.ring, until)));
  // Whoever listens sees it; nobody else has to.
  started.catch(() => undefined);
  return (async function* () {
    try {
      await started;
      while (!signal.aborted) {
        await anyRung(bells, signal);
        await quiet(bells, clock, signal);
        yield bells.map((bell) => bell.take());
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      end.abort();
    }
  })();
}

async function anyRung(bells: readonly PendingChanges[], signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  for (const bell of bells) bell.onRing(resolve);
  await promise.finally(() => signal.removeEventListener("abort", abort));
}

async function quiet(bells: readonly PendingChanges[], clock: Clock, signal: AbortSignal): Promise<void> {
  const deadline = clock.monotonic() + patienceMs;
  for (let before = -1; before !== rings(bells) && clock.monotonic() < deadline; ) {
    before = rings(bells);
    await clock.sleep(quietMs, signal);
  }
}

function rings(bells: readonly PendingChanges[]): number {
  return bells.reduce((sum, bell) => sum + bell.rings, 0);
}

class PendingChanges {
  rings = 0;
  #directories = new Set<string>();
  #isEverywhere = false;
  #wake: (() => void) | undefined;

  readonly ring: NotifyChange = (directory) => {
    this.rings++;
    if (directory === undefined) this.#isEverywhere = true;
    else this.#directories.add(directory);
    this.#wake?.();
  };

  onRing(wake: () => void): void {
    this.#wake = wake;
    if (this.rings > 0) wake();
  }

  take(): ReadonlySet<string> | "everything" {
    const heard = this.#isEverywhere ? "everything" : this.#directories;
    this.rings = 0;
    this.#directories = new Set();
    this.#isEverywhere = false;
    return heard;
  }
}
