import { expect, test } from "vitest";
import { readSweepLimits } from "./sweep-limits.ts";

test("P58: the limits of Snapshots are 512, 512 and 5, and each variable of the environment changes one", () => {
  expect(readSweepLimits({})).toEqual({ pullRequests: 512, others: 512, perComponent: 5 });
  expect(readSweepLimits({ PR_SNAPSHOTS_TO_KEEP: "7", NON_PR_SNAPSHOTS_TO_KEEP: "", OTHER: "1" })).toEqual({
    pullRequests: 7,
    others: 512,
    perComponent: 5,
  });
  expect(readSweepLimits({ NON_PR_SNAPSHOTS_TO_KEEP: "0", MIN_SNAPSHOTS_TO_KEEP_PER_COMPONENT: "12" })).toEqual({
    pullRequests: 512,
    others: 0,
    perComponent: 12,
  });
});

test.for(["many", "-1", "1.5", "1e3"])("a limit of %s is refused, and the message names the variable", (text) => {
  expect(() => readSweepLimits({ PR_SNAPSHOTS_TO_KEEP: text })).toThrow(
    `PR_SNAPSHOTS_TO_KEEP: expected a whole number, got "${text}"`,
  );
});
