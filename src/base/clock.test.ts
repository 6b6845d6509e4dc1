import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Clock, systemClock } from "./clock.ts";
import { FakeClock } from "./fake-clock.fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Subject {
  readonly clock: Clock;
  readonly advance: (ms: number) => Promise<unknown>;
  readonly pending: () => number;
}

function system(): Subject {
  return {
    clock: systemClock,
    advance: (ms) => vi.advanceTimersByTimeAsync(ms),
    pending: () => vi.getTimerCount(),
  };
}

function fake(): Subject {
  const clock = new FakeClock();
  return { clock, advance: (ms) => clock.advance(ms), pending: () => clock.pending };
}

const days = 24 * 3_600_000;

describe.each([
  { name: "systemClock", subject: system },
  { name: "FakeClock", subject: fake },
])("$name", ({ subject }) => {
  it("moves both its hands", async () => {
    const { clock, advance } = subject();
    const [now, monotonic] = [clock.now(), clock.monotonic()];
    await advance(1_500);
    expect(clock.now() - now).toBe(1_500);
    expect(clock.monotonic() - monotonic).toBe(1_500);
  });

  it("runs a function after the given time, once", async () => {
    const { clock, advance, pending } = subject();
    const run = vi.fn<() => void>();
    clock.after(1_000, run);
    await advance(999);
    expect(run).not.toHaveBeenCalled();
    await advance(1);
    expect(run).toHaveBeenCalledOnce();
    expect(pending()).toBe(0);
  });

  it("does not run what was disposed of", () => {
    const { clock, pending } = subject();
    const waiting = clock.after(1_000, () => {});
    expect(pending()).toBe(1);
    waiting[Symbol.dispose]();
    expect(pending()).toBe(0);
  });

  it("sleeps, and leaves neither timer nor listener behind", async () => {
    const { clock, advance, pending } = subject();
    const { signal } = new AbortController();
    const woken = vi.fn<() => void>();
    const sleep = clock.sleep(1_000, signal).then(woken);
    await advance(999);
    expect(woken).not.toHaveBeenCalled();
    await advance(1);
    await sleep;
    expect(pending()).toBe(0);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("wakes with the signal's reason, and leaves neither timer nor listener behind", async () => {
    const { clock, pending } = subject();
    const controller = new AbortController();
    const sleep = clock.sleep(1_000, controller.signal);
    controller.abort("shutting down");
    await expect(sleep).rejects.toBe("shutting down");
    expect(pending()).toBe(0);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("does not fall asleep when the signal is aborted already", async () => {
    const { clock, pending } = subject();
    await expect(clock.sleep(1_000, AbortSignal.abort("too late"))).rejects.toBe("too late");
    expect(pending()).toBe(0);
  });

  it("waits longer than the 24 days of a Node timer", async () => {
    const { clock, advance } = subject();
    const run = vi.fn<() => void>();
    clock.after(60 * days, run);
    await advance(60 * days - 1);
    expect(run).not.toHaveBeenCalled();
    await advance(1);
    expect(run).toHaveBeenCalledOnce();
  });

  it("gives up such a wait half way", async () => {
    const { clock, advance, pending } = subject();
    const waiting = clock.after(60 * days, () => {});
    await advance(30 * days);
    expect(pending()).toBe(1);
    waiting[Symbol.dispose]();
    expect(pending()).toBe(0);
  });
});
