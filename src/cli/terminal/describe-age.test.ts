import { expect, test } from "vitest";
import { describeAge } from "./describe-age.ts";

const now = Date.parse("2026-01-10T12:00:00Z");

test.for([
  { since: "2026-01-10T11:59:48Z", expected: "12 s" },
  { since: "2026-01-10T11:56:59Z", expected: "3 min" },
  { since: "2026-01-10T08:00:00Z", expected: "4 h" },
  { since: "2026-01-02T12:00:00Z", expected: "8 d" },
  { since: "2026-01-10T12:00:03Z", expected: "0 s" },
  { since: undefined, expected: "" },
  { since: "yesterday", expected: "" },
])("the age of $since is $expected", ({ since, expected }) => {
  expect(describeAge(since, now)).toBe(expected);
});
