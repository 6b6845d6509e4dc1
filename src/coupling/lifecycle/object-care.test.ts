import { expect, test } from "vitest";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { ObjectCare } from "./object-care.ts";

test("repairs of an object back off until ten minutes pass without one, and do not delay other objects", async () => {
  const clock = new FakeClock();
  const care = new ObjectCare(clock);
  for (let count = 0; count < 5; count += 1) care.repairsOf("a").note();
  expect(care.repairsOf("a").restMs).toBe(4_000);
  expect(care.repairsOf("b").restMs).toBe(0);
  expect(care.calmInMs("a")).toBe(600_001);
  expect(care.calmInMs("b")).toBe(undefined);
  await clock.advance(600_001);
  expect(care.repairsOf("a").restMs).toBe(0);
  expect(care.calmInMs("a")).toBe(undefined);
});

test("an object is right in the version that was right and in older ones, until it is no longer looked after", () => {
  const care = new ObjectCare(new FakeClock());
  expect(care.isRight("a", "7")).toBe(false);
  care.noteRight("a", "7");
  expect([care.isRight("a", "7"), care.isRight("a", "6"), care.isRight("a", "8")]).toEqual([true, true, false]);
  care.keepOnly(new Set(["b"]));
  expect(care.isRight("a", "7")).toBe(false);
});
