import type { Progress } from "./errands.ts";
import type { ReadyPod } from "./start-pod.ts";

type Listener = Pick<Progress, "waitsFor">;

interface Start {
  readonly ready: Promise<ReadyPod>;
  readonly ending: AbortController;
  readonly listeners: Set<Listener>;
  /** What was told last, for those who come later. */
  told: Parameters<Progress["waitsFor"]> | undefined;
}

/** Starts each pod once, for all who wait for it; who has nobody left to wait is called off. */
export class SharedStarts {
  readonly #starts = new Map<string, Start>();

  async join(
    uid: string,
    begin: (progress: Listener, signal: AbortSignal) => Promise<ReadyPod>,
    progress: Listener,
    signal: AbortSignal,
  ): Promise<ReadyPod> {
    signal.throwIfAborted();
    const start = this.#starts.get(uid) ?? this.#begin(uid, begin);
    const listener: Listener = { waitsFor: (...words) => progress.waitsFor(...words) };
    start.listeners.add(listener);
    if (start.told) listener.waitsFor(...start.told);
    const called = Promise.withResolvers<never>();
    const giveUp = (): void => called.reject(signal.reason);
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      return await Promise.race([start.ready, called.promise]);
    } finally {
      signal.removeEventListener("abort", giveUp);
      start.listeners.delete(listener);
      if (start.listeners.size === 0) this.#end(uid, start);
    }
  }

  #begin(uid: string, begin: (progress: Listener, signal: AbortSignal) => Promise<ReadyPod>): Start {
    const ending = new AbortController();
    const listeners = new Set<Listener>();
    const waitsFor: Progress["waitsFor"] = (...words) => {
      start.told = words;
      for (const listener of listeners) listener.waitsFor(...words);
    };
    // Later, so that what it tells finds a start.
    const ready = Promise.resolve().then(() => begin({ waitsFor }, ending.signal));
    // Whoever waits hears of it; by then nobody may.
    ready.catch(() => {});
    const start: Start = { ready, ending, listeners, told: undefined };
    this.#starts.set(uid, start);
    return start;
  }

  #end(uid: string, start: Start): void {
    start.ending.abort(new Error("nobody waits for the pod any more"));
    if (this.#starts.get(uid) === start) this.#starts.delete(uid);
  }
}
