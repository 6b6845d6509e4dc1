/** Waits for shared work: the signal ends this wait, not the work. */
export function abortable<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason);
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
    work.finally(() => signal.removeEventListener("abort", giveUp)).then(resolve, reject);
  });
}
