import { expect, test } from "vitest";
import { InputError } from "#base";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { waitFor } from "./wait.ts";

const never = new AbortController().signal;

test("ends when nothing is missing, and asks less and less often", async () => {
  const clock = new FakeClock();
  const asked: number[] = [];
  const look = async () => {
    asked.push(clock.monotonic());
    return asked.length < 5 ? "a pod" : undefined;
  };
  const waiting = waitFor("the pods", look, { clock, timeoutMs: 60_000 }, never);
  await clock.advance(10_000);
  await waiting;
  expect(asked).toEqual([0, 50, 150, 350, 750]);
});

test("ends with what it waited for, how long, and what was missing at the end", async () => {
  const clock = new FakeClock();
  const waiting = waitFor("Service web to be gone", async () => "its finalizer x", { clock, timeoutMs: 5_000 }, never);
  const failure = waiting.catch((error: unknown) => error);
  await clock.advance(5_000);
  expect(await failure).toBeInstanceOf(InputError);
  expect(String(await failure)).toContain("waited 5 s for Service web to be gone: its finalizer x");
  expect(clock.pending).toBe(0);
});

test("ends when the run does", async () => {
  const clock = new FakeClock();
  const stopping = new AbortController();
  const waiting = waitFor("nothing", async () => "all", { clock, timeoutMs: 5_000 }, stopping.signal);
  const failure = waiting.catch((error: unknown) => error);
  await clock.advance(60);
  stopping.abort(new Error("ended"));
  expect(String(await failure)).toBe("Error: ended");
});
