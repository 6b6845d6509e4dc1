import { type Clock, systemClock } from "#base";

/** A clock on which so many seconds pass in each real one: for what must wait, against servers that do not. */
export function fastClock(speed: number): Clock {
  return {
    now: () => systemClock.now(),
    monotonic: () => systemClock.monotonic() * speed,
    sleep: (ms, signal) => systemClock.sleep(ms / speed, signal),
    after: (ms, run) => systemClock.after(ms / speed, run),
  };
}

/** A clock on which only pauses are shorter. A server may be silent as long as ever, also on a busy machine. */
export function shortPauses(speed: number): Clock {
  return { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / speed, signal) };
}
