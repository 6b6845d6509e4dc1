import type { Clock } from "#base";

/** Runs a task whose signal is aborted after so long, or when the given signal is; its result counts even then. */
export async function withTimeout<Result>(
  clock: Pick<Clock, "after">,
  ms: number,
  task: (signal: AbortSignal) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const forward = (): void => controller.abort(signal?.reason);
  signal?.addEventListener("abort", forward, { once: true });
  using _ = clock.after(ms, () => controller.abort(new Error(`no answer within ${ms / 1000} s`)));
  try {
    return await task(controller.signal);
  } finally {
    signal?.removeEventListener("abort", forward);
  }
}
