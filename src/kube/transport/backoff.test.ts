import { expect, test } from "vitest";
import { fc } from "#seeded";
import { backoffMs } from "./backoff.ts";

const bounds = { shortestMs: 500, longestMs: 30_000 };

const row = (random: () => number) => [1, 2, 3, 4, 5, 6, 7].map((failures) => backoffMs(failures, bounds, random));

test("each wait lies in the upper half of a step that doubles, and within the bounds", () => {
  expect(row(() => 0)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
  expect(row(() => 1)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

test("no wait leaves its bounds, whatever they are and however often it failed", () => {
  const anyBounds = fc
    .tuple(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 0, max: 100_000 }))
    .map(([shortestMs, more]) => ({ shortestMs, longestMs: shortestMs + more }));
  const failures = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 1_000_000 }));
  fc.assert(
    fc.property(failures, anyBounds, fc.double({ min: 0, max: 1, noNaN: true }), (count, given, random) => {
      const ms = backoffMs(count, given, () => random);
      expect(ms).toBeGreaterThanOrEqual(given.shortestMs);
      expect(ms).toBeLessThanOrEqual(given.longestMs);
    }),
  );
});
