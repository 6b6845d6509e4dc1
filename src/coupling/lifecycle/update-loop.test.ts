import { expect, test } from "vitest";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { UpdateLoop } from "./update-loop.ts";

function loopAfter(updates: number) {
  const clock = new FakeClock();
  const loop = new UpdateLoop(clock);
  for (let count = 0; count < updates; count += 1) loop.note();
  return { clock, loop };
}

test("updates that cause each other wait longer and longer, up to five minutes, until the user changes something", () => {
  const { loop } = loopAfter(0);
  const rests = Array.from({ length: 14 }, () => {
    const { restMs } = loop;
    loop.note();
    return restMs;
  });
  expect(rests.slice(0, 6)).toEqual([0, 0, 0, 1_000, 2_000, 4_000]);
  expect(rests.at(-1)).toBe(300_000);
  loop.end();
  expect(loop.restMs).toBe(0);
});

test("updates that cause each other slowly are counted together, until none is due for ten minutes", async () => {
  const { clock, loop } = loopAfter(12);
  expect(loop.restMs).toBe(300_000);
  await clock.advance(240_000);
  expect([loop.restMs, loop.calmInMs]).toEqual([60_000, 360_001]);
  await clock.advance(360_001);
  expect([loop.restMs, loop.calmInMs]).toEqual([0, undefined]);
  loop.note();
  expect([loop.restMs, loop.isLooping]).toEqual([0, false]);
});
