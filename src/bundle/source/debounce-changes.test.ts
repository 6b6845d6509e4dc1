import { describe, expect, test } from "vitest";
import { InputError } from "#base";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import type { NotifyChange } from "./file-tree.ts";
import { debounceChanges, type StartWatch } from "./debounce-changes.ts";

/** A consumer, and a watch that notifies when the test calls it. */
function listen(clock: FakeClock) {
  const stop = new AbortController();
  const watched: { notify: NotifyChange; isStopped: boolean } = { notify: () => undefined, isStopped: false };
  const watch: StartWatch = (notify, signal) => {
    watched.notify = notify;
    signal.addEventListener("abort", () => (watched.isStopped = true));
    return Promise.resolve();
  };
  const changes = debounceChanges([watch], clock, stop.signal)[Symbol.asyncIterator]();
  return { watched, changes, stop };
}

describe("debounceChanges", () => {
  test("joins many changes into one item after a quiet time", async () => {
    const clock = new FakeClock();
    const { watched, changes } = listen(clock);
    const next = changes.next();
    watched.notify("a");
    watched.notify("b");
    watched.notify("a");
    await clock.advance(1_000);
    expect((await next).value).toEqual([new Set(["a", "b"])]);
  });

  test("keeps changes that come while the consumer is busy", async () => {
    const clock = new FakeClock();
    const { watched, changes } = listen(clock);
    const first = changes.next();
    watched.notify("a");
    await clock.advance(1_000);
    await first;
    watched.notify("b");
    const second = changes.next();
    await clock.advance(1_000);
    expect((await second).value).toEqual([new Set(["b"])]);
  });

  test("reports everything when one change has no directory", async () => {
    const clock = new FakeClock();
    const { watched, changes } = listen(clock);
    const next = changes.next();
    watched.notify("a");
    watched.notify();
    await clock.advance(1_000);
    expect((await next).value).toEqual(["everything"]);
  });

  test("yields at last even when changes never stop", async () => {
    const clock = new FakeClock();
    const { watched, changes } = listen(clock);
    const next = changes.next();
    for (let time = 0; time < 5_000; time += 50) {
      watched.notify("a");
      await clock.advance(50);
    }
    expect((await next).value).toEqual([new Set(["a"])]);
  });

  test("stops the watch when the consumer returns or the signal aborts", async () => {
    const clock = new FakeClock();
    const leaving = listen(clock);
    const next = leaving.changes.next();
    leaving.watched.notify();
    await clock.advance(1_000);
    await next;
    await leaving.changes.return?.();
    expect(leaving.watched.isStopped).toBe(true);
    const stopped = listen(clock);
    const waiting = stopped.changes.next();
    stopped.stop.abort();
    expect([(await waiting).done, stopped.watched.isStopped]).toEqual([true, true]);
  });

  test("throws the error of a watch that cannot start", async () => {
    const failing = debounceChanges(
      [() => Promise.reject(new InputError("no more watches"))],
      new FakeClock(),
      new AbortController().signal,
    );
    await expect(failing[Symbol.asyncIterator]().next()).rejects.toThrow("no more watches");
  });
});
