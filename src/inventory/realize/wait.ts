import { type Clock, InputError } from "#base";

export interface WaitOptions {
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  /** The wait ends with an error after so long. */
  readonly timeoutMs: number;
}

/** `undefined` when the wait is over, else what is still missing, for people. */
export type StillMissing = string | undefined;

/** A wait came to its end before what was waited for. */
export class WaitedTooLong extends InputError {
  override get name(): string {
    return "WaitedTooLong";
  }
}

const shortestMs = 50;
const longestMs = 2_000;

/** Asks until nothing is missing, less and less often. Its error says what was waited for, how long, and what was missing at the end. */
export async function waitFor(
  what: string,
  look: () => Promise<StillMissing>,
  { clock, timeoutMs }: WaitOptions,
  signal: AbortSignal,
): Promise<void> {
  const begin = clock.monotonic();
  for (let pauseMs = shortestMs; ; pauseMs = Math.min(pauseMs * 2, longestMs)) {
    const missing = await look();
    if (missing === undefined) return;
    const waitedMs = clock.monotonic() - begin;
    if (waitedMs >= timeoutMs) {
      throw new WaitedTooLong(`waited ${Math.round(waitedMs / 1000)} s for ${what}: ${missing}`, {
        next: "fix it, then run again: finished steps are not repeated",
      });
    }
    await clock.sleep(Math.min(pauseMs, timeoutMs - waitedMs), signal);
  }
}
