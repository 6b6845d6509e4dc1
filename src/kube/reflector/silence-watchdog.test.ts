import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { SilenceWatchdog } from "./silence-watchdog.ts";

test("aborts after the silence limit, counted from the last reset", async () => {
  const clock = new FakeClock();
  using watchdog = new SilenceWatchdog(clock, 1_000, new AbortController().signal);
  await clock.advance(999);
  watchdog.reset();
  await clock.advance(999);
  expect([watchdog.hasFired, watchdog.signal.aborted]).toEqual([false, false]);
  await clock.advance(1);
  expect([watchdog.hasFired, watchdog.signal.aborted]).toEqual([true, true]);
});

test("aborts with its parent, and hasFired stays false", () => {
  const parent = new AbortController();
  using watchdog = new SilenceWatchdog(new FakeClock(), 1_000, parent.signal);
  parent.abort(new Error("enough"));
  expect([watchdog.hasFired, watchdog.signal.reason]).toEqual([false, parent.signal.reason]);
  using late = new SilenceWatchdog(new FakeClock(), 1_000, parent.signal);
  expect(late.signal.aborted).toBe(true);
});

test("leaves neither a timer nor a listener behind", () => {
  const clock = new FakeClock();
  const { signal } = new AbortController();
  new SilenceWatchdog(clock, 1_000, signal)[Symbol.dispose]();
  expect([clock.pending, getEventListeners(signal, "abort").length]).toEqual([0, 0]);
});
