import { describe, expect, test } from "vitest";
import type { JsonObject } from "#base";
import { FakeClock } from "../../../base/fake-clock.fixture.ts";
import { ApparatusWait } from "./apparatus-client.ts";
import { InFlightCalls, type CallProgress, type Work } from "./in-flight-calls.ts";

function setUp() {
  const clock = new FakeClock();
  const errands = new InFlightCalls(clock);
  const woken: string[] = [];
  const waiter = { uid: "u", redact: (text: string) => text, wake: () => void woken.push("woken") };
  const signal = new AbortController().signal;
  const ask = (id: string, work: Work) => errands.run("plug stage", id, waiter, work, signal);
  return { clock, errands, woken, ask };
}

/** Work that a test ends. */
function open() {
  const end = Promise.withResolvers<JsonObject>();
  const seen: { progress?: CallProgress; signal?: AbortSignal; starts: number } = { starts: 0 };
  const work: Work = (progress, signal) => {
    Object.assign(seen, { progress, signal, starts: seen.starts + 1 });
    return end.promise;
  };
  return { ...end, seen, work };
}

const outcome = (asked: Promise<unknown>) =>
  asked.then(
    (value) => ({ value }),
    (error: unknown) => (error instanceof ApparatusWait ? { waits: error.reason } : { error }),
  );

describe("a call in flight", () => {
  test("that is quick is answered at once", async () => {
    const { ask, woken } = setUp();
    expect(await ask("1", async () => ({ a: 1 }))).toEqual({ a: 1 });
    await expect(ask("1", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(woken).toEqual([]);
  });

  test("that takes long releases its waiter, wakes it, and runs once", async () => {
    const { clock, ask, woken } = setUp();
    const { work, resolve, seen } = open();
    const first = outcome(ask("1", work));
    await clock.advance(500);
    expect(await first).toEqual({ waits: undefined });
    expect(await outcome(ask("1", work))).toEqual({ waits: undefined });
    resolve({ a: 1 });
    await clock.advance(0);
    expect(woken).toEqual(["woken"]);
    expect(await ask("1", work)).toEqual({ a: 1 });
    expect(seen.starts).toBe(1);
  });

  test("reports what it waits for after ten seconds, or at once if it is a problem, and wakes the waiter for changes", async () => {
    const { clock, ask, woken } = setUp();
    const { work, seen } = open();
    const first = outcome(ask("1", work));
    await clock.advance(500);
    await first;
    seen.progress?.waitsFor("a pod");
    expect(woken).toEqual([]);
    await clock.advance(10_000);
    expect(woken).toHaveLength(1);
    expect(await outcome(ask("1", work))).toEqual({ waits: "a pod" });
    seen.progress?.waitsFor("a pod");
    expect(woken).toHaveLength(1);
    seen.progress?.waitsFor("ErrImagePull", true);
    expect(woken).toHaveLength(2);
    expect(await outcome(ask("1", work))).toEqual({ waits: "ErrImagePull" });
  });

  test("with another id replaces a call that was not sent, and waits for one that was", async () => {
    const { clock, ask, woken } = setUp();
    const [one, two, three] = [open(), open(), open()];
    for (const [id, { work }] of [["1", one] as const, ["2", two] as const]) {
      const asked = outcome(ask(id, work));
      await clock.advance(500);
      expect(await asked).toEqual({ waits: undefined });
    }
    expect(one.seen.signal?.aborted).toBe(true);
    two.seen.progress?.sent();
    expect(await outcome(ask("3", three.work))).toEqual({ waits: undefined });
    expect(three.seen.starts).toBe(0);
    two.reject(new Error("late"));
    await clock.advance(0);
    expect(woken).toEqual(["woken"]);
    three.resolve({ a: 3 });
    expect(await ask("3", three.work)).toEqual({ a: 3 });
  });

  test("that is no longer needed is cancelled, and leaves no timer", async () => {
    const { clock, errands, ask, woken } = setUp();
    const { work, reject, seen } = open();
    const asked = outcome(ask("1", work));
    await clock.advance(500);
    await asked;
    errands.forget("u");
    expect(seen.signal?.aborted).toBe(true);
    reject(new Error("called off"));
    await clock.advance(0);
    expect(woken).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});
