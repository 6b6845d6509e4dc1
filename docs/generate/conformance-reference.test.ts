import { describe, expect, test } from "vitest";
import { conformancePage, type Promised } from "./conformance-reference.ts";

const held: Promised = { ids: ["A-1"], promise: "it is so", file: "a.test.ts" };

describe("the conformance page", () => {
  test("the page lists cases that hold, that are answered otherwise and that have no test, with their counts", () => {
    const text = conformancePage([held, { ...held, promise: "and so" }], { "B-2": "it is not so" });
    expect(text).toMatch(/^Of \d+ cases 1 hold, \d+ have no test, and for 1 Tenon does something else\.$/m);
    expect(text).toMatch(/## Manage: the data\n\n[^#]*\| A-1 +\| it is so[^#]*\nNo test yet: A-2, A-3/);
    expect(text).toMatch(/## Manage: rendering\n\n[^|]*What Tenon does instead:\n\n[^#]*\| B-2 +\| it is not so/);
    expect(text).toContain("No test yet: B-1, B-3, B-4,");
  });

  test.each([
    {
      reason: "a test of an unknown case",
      promises: [{ ...held, ids: ["A-99"] }],
      otherwise: {},
      says: "a.test.ts names unknown cases: A-99",
    },
    {
      reason: "an answer to an unknown case",
      promises: [held],
      otherwise: { "B-99": "no" },
      says: "answered-otherwise.ts names unknown cases: B-99",
    },
    {
      reason: "a case that is both held and answered otherwise",
      promises: [held],
      otherwise: { "A-1": "no" },
      says: "a.test.ts holds cases that answered-otherwise.ts lists: A-1",
    },
  ])("the page is refused for $reason", ({ promises, otherwise, says }) => {
    expect(() => conformancePage(promises, otherwise)).toThrow(says);
  });
});
