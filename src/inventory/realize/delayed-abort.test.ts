import { expect, test } from "vitest";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { delayAbort } from "./delayed-abort.ts";

test("work that has begun gets its time after an abort, and no timer stays behind", async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  {
    using delayed = delayAbort(stop.signal, 10_000, clock);
    expect(clock.pending).toBe(0);
    stop.abort(new Error("stop"));
    await clock.advance(9_999);
    expect(delayed.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(delayed.signal.reason).toEqual(new Error("stop"));
  }
  {
    using delayed = delayAbort(stop.signal, 10_000, clock);
    expect({ pending: clock.pending, isAborted: delayed.signal.aborted }).toEqual({ pending: 1, isAborted: false });
  }
  expect(clock.pending).toBe(0);
});
