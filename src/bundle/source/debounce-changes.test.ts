import { describe, expect, test } from "vitest";
import { InputError } from "#base";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import type { NotifyChange } from "./file-tree.ts";
import { debounceChanges, type StartWatch } from "./debounce-changes.ts";

/** A listener, and a watch that rings when the test says so. */
function listen(clock: FakeClock) {
  const stop = new AbortController();
  const bell: { ring: NotifyChange; isOver: boolean } = { ring: () => undefined, isOver: false };
  const watch: StartWatch = (ring, signal) => {
    bell.ring = ring;
    signal.addEventListener("abort", () => (bell.isOver = true));
    return Promise.resolve();
  };
  const changes = debounceChanges([watch], clock, stop.signal)[Symbol.asyncIterator]();
  return { bell, changes, stop };
}

describe("who listens to rings", () => {
  test("hears many as one, when it has been quiet for a while", async () => {
    const clock = new FakeClock();
    const { bell, changes } = listen(clock);
    const heard = changes.next();
    bell.ring("a");
    bell.ring("b");
    bell.ring("a");
    await clock.advance(1_000);
    expect((await heard).value).toEqual([new Set(["a", "b"])]);
  });

  test("hears afterwards what rang while it was busy", async () => {
    const clock = new FakeClock();
    const { bell, changes } = listen(clock);
    const first = changes.next();
    bell.ring("a");
    await clock.advance(1_000);
    await first;
    bell.ring("b");
    const second = changes.next();
    await clock.advance(1_000);
    expect((await second).value).toEqual([new Set(["b"])]);
  });

  test("looks everywhere when one ring did not say where", async () => {
    const clock = new FakeClock();
    const { bell, changes } = listen(clock);
    const heard = changes.next();
    bell.ring("a");
    bell.ring();
    await clock.advance(1_000);
    expect((await heard).value).toEqual(["everything"]);
  });

  test("does not wait for ever until it is quiet", async () => {
    const clock = new FakeClock();
    const { bell, changes } = listen(clock);
    const heard = changes.next();
    for (let time = 0; time < 5_000; time += 50) {
      bell.ring("a");
      await clock.advance(50);
    }
    expect((await heard).value).toEqual([new Set(["a"])]);
  });

  test("lets the watch end when it stops listening, or is told to", async () => {
    const clock = new FakeClock();
    const leaving = listen(clock);
    const heard = leaving.changes.next();
    leaving.bell.ring();
    await clock.advance(1_000);
    await heard;
    await leaving.changes.return?.();
    expect(leaving.bell.isOver).toBe(true);
    const stopped = listen(clock);
    const waiting = stopped.changes.next();
    stopped.stop.abort();
    expect([(await waiting).done, stopped.bell.isOver]).toEqual([true, true]);
  });

  test("is told when nobody can watch", async () => {
    const failing = debounceChanges(
      [() => Promise.reject(new InputError("no more watches"))],
      new FakeClock(),
      new AbortController().signal,
    );
    await expect(failing[Symbol.asyncIterator]().next()).rejects.toThrow("no more watches");
  });
});
