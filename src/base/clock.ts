/** Time as a dependency, so that tests can control it. */
export interface Clock {
  /** Milliseconds since the epoch; may jump when the system clock is set. */
  now(): number;
  /** Milliseconds since an arbitrary moment; never goes back. For measuring durations. */
  monotonic(): number;
  /** Rejects with the signal's reason on abort. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Runs once after `ms`, unless disposed of before; a delay of 0 or less means as soon as possible. */
  after(ms: number, run: () => void): Disposable;
}

/** Node fires a timer that does not fit 32 bits at once: https://nodejs.org/api/timers.html#settimeoutcallback-delay-args */
const longestTimeout = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => sleepOn(systemClock, ms, signal),
  after(ms, run) {
    let timer: NodeJS.Timeout;
    function arm(left: number): void {
      timer =
        left > longestTimeout ? setTimeout(() => arm(left - longestTimeout), longestTimeout) : setTimeout(run, left);
    }
    arm(Math.max(ms, 0));
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

/** A clock's `sleep` by its `after`; leaves neither timer nor listener behind. */
export function sleepOn(clock: Pick<Clock, "after">, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const timer = clock.after(ms, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    function onAbort(): void {
      timer[Symbol.dispose]();
      reject(signal?.reason);
    }
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
