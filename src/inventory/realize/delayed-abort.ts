import type { Clock } from "#base";

/** A signal for what has begun: it is aborted so long after the given one, so that a write in flight can end. */
export interface DelayedAbort extends Disposable {
  readonly signal: AbortSignal;
}

export function delayAbort(signal: AbortSignal, delayMs: number, clock: Pick<Clock, "after">): DelayedAbort {
  const delayed = new AbortController();
  let timer: Disposable | undefined;
  function begin(): void {
    timer = clock.after(delayMs, () => delayed.abort(signal.reason));
  }
  if (signal.aborted) begin();
  else signal.addEventListener("abort", begin, { once: true });
  return {
    signal: delayed.signal,
    [Symbol.dispose]() {
      timer?.[Symbol.dispose]();
      signal.removeEventListener("abort", begin);
    },
  };
}
