import { describe, expect, test } from "vitest";
import { conformancePage, type Promised } from "./conformance-reference.ts";

const held: Promised = { ids: ["A-1"], promise: "it is so", file: "a.test.ts" };

describe("the page of cases", () => {
  test("a case holds, is answered otherwise, or is not yet tried, and the counts say so", () => {
    const text = conformancePage([held, { ...held, promise: "and so" }], { "B-2": "it is not so" });
    expect(text).toMatch(/^Of \d+ cases 1 hold, for 1 Tenon does something else, and the rest has no test yet\.$/m);
    expect(text).toMatch(/## Manage: the data\n\n[^#]*\| A-1 +\| it is so[^#]*\nNot yet tried: A-2, A-3/);
    expect(text).toMatch(/## Manage: rendering\n\n.*\n\nWhat Tenon does instead:\n\n[^#]*\| B-2 +\| it is not so/);
    expect(text).toContain("Not yet tried: B-1, B-3, B-4,");
  });

  test.each([
    {
      reason: "a test of a case that nobody knows",
      promises: [{ ...held, ids: ["A-99"] }],
      otherwise: {},
      says: "a.test.ts names cases that nobody knows: A-99",
    },
    {
      reason: "an answer to a case that nobody knows",
      promises: [held],
      otherwise: { "B-99": "no" },
      says: "cases that nobody knows: B-99",
    },
    {
      reason: "a case that is both",
      promises: [held],
      otherwise: { "A-1": "no" },
      says: "a.test.ts holds what is answered otherwise: A-1",
    },
  ])("refused: $reason", ({ promises, otherwise, says }) => {
    expect(() => conformancePage(promises, otherwise)).toThrow(says);
  });
});
