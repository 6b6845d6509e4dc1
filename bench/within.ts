import { systemClock } from "#base";

/** What has not happened by then will not happen. */
const limitMs = 3 * 60_000;

/** Fails if a promise is not settled in time: a benchmark that waits for ever tells nothing. */
export async function within<Value>(what: string, promise: Promise<Value>): Promise<Value> {
  const ending = new AbortController();
  const late = systemClock.sleep(limitMs, ending.signal).then(() => {
    throw new Error(`waited ${limitMs / 1_000} s for ${what}`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    late.catch(() => {});
    ending.abort();
  }
}
