import { describe, expect, it } from "vitest";
import { FakeClock } from "./fake-clock.fixture.ts";

describe("FakeClock", () => {
  it("stands still on its own", () => {
    const clock = new FakeClock(1_000);
    expect([clock.now(), clock.monotonic()]).toEqual([1_000, 0]);
    expect([clock.now(), clock.monotonic()]).toEqual([1_000, 0]);
  });

  it("runs what is due in order, each at its own time", async () => {
    const clock = new FakeClock(0);
    const ran: string[] = [];
    const note = (name: string) => () => void ran.push(`${name} at ${clock.now()}`);
    clock.after(20, note("second"));
    clock.after(10, note("first"));
    clock.after(20, note("third"));
    clock.after(31, note("not yet"));
    await clock.advance(30);
    expect(ran).toEqual(["first at 10", "second at 20", "third at 20"]);
    expect([clock.now(), clock.pending]).toEqual([30, 1]);
  });

  it("lets continuations run between, so that a loop of sleeps gets all its turns", async () => {
    const clock = new FakeClock(0);
    const turns: number[] = [];
    async function loop(): Promise<void> {
      for (let turn = 0; turn < 3; turn++) {
        await clock.sleep(10);
        await Promise.resolve().then(() => Promise.resolve());
        turns.push(clock.now());
      }
    }
    const looping = loop();
    await clock.advance(25);
    expect(turns).toEqual([10, 20]);
    await clock.advance(5);
    expect(turns).toEqual([10, 20, 30]);
    await looping;
  });

  it("runs what is started by a continuation from before", async () => {
    const clock = new FakeClock(0);
    const sleeping = Promise.resolve().then(() => clock.sleep(10));
    await clock.advance(10);
    await sleeping;
    expect(clock.now()).toBe(10);
  });

  it("runs what is due at once when time does not move", async () => {
    const clock = new FakeClock(0);
    const ran: string[] = [];
    clock.after(0, () => ran.push("now"));
    clock.after(-5, () => ran.push("overdue"));
    await clock.advance(0);
    expect([ran, clock.now()]).toEqual([["now", "overdue"], 0]);
  });

  it("rejects with what a function threw", async () => {
    const clock = new FakeClock();
    clock.after(1, () => {
      throw new Error("odd");
    });
    await expect(clock.advance(1)).rejects.toThrow("odd");
  });
});
