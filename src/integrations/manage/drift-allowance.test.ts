import { expect, test } from "vitest";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { DriftAllowance } from "./drift-allowance.ts";

test("ten changes in a row are corrected at once, further ones every half minute", async () => {
  const clock = new FakeClock();
  const allowance = new DriftAllowance(clock);
  const first = Array.from({ length: 12 }, () => allowance.take("c1/n1"));
  expect(first).toEqual([...Array.from({ length: 10 }, () => 200), 30_000, 30_000]);
  expect(allowance.take("c1/other")).toBe(200);
  await clock.advance(60 * 60_000);
  expect(allowance.take("c1/n1")).toBe(200);
});
