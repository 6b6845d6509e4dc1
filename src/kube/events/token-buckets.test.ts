import { expect, it } from "vitest";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { TokenBuckets } from "./token-buckets.ts";

it("allows a burst, then one event for each refill, separately for each key", async () => {
  const clock = new FakeClock();
  const buckets = new TokenBuckets({ burst: 3, refillMs: 1000 }, clock);
  const take = (times: number, key = "a") =>
    Array.from({ length: times }, () => buckets.take(key)).filter(Boolean).length;
  expect(take(5)).toBe(3);
  expect(take(5, "b")).toBe(3);
  await clock.advance(999);
  expect(take(1)).toBe(0);
  await clock.advance(1);
  expect(take(2)).toBe(1);
  await clock.advance(60_000);
  expect(take(9)).toBe(3);
});
