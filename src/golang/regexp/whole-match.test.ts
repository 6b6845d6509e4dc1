import { expect, test } from "vitest";
import { InputError } from "#base";
import { matchesWhole } from "./whole-match.ts";

test.each([
  { expression: "prod", text: "prod", matches: true, reason: "the same" },
  { expression: "prod", text: "nonprod", matches: false, reason: "more before" },
  { expression: "prod", text: "prod-2", matches: false, reason: "more behind" },
  { expression: "a|ab", text: "ab", matches: true, reason: "a shorter alternative stands first" },
  { expression: "a|b", text: "xb", matches: false, reason: "both ends bind all alternatives" },
  { expression: "(?i)PROD.*", text: "prod-eu", matches: true, reason: "its own flags" },
  { expression: "(?m)^a$", text: "b\na", matches: false, reason: "lines are not the whole" },
  { expression: "^prod$", text: "prod", matches: true, reason: "written with its own ends" },
])("$expression on $text: $reason", ({ expression, text, matches }) => {
  expect(matchesWhole(expression, text)).toBe(matches);
});

test.each([
  { expression: "a\\", reason: "an escape of nothing must not escape our end" },
  { expression: "a)|(b", reason: "it would close our parenthesis" },
  { expression: "(", reason: "no expression" },
  { expression: "(?!x)a", reason: "not of RE2" },
  { expression: "(a{1000}){1000}", reason: "too large" },
])("$expression is refused: $reason", ({ expression }) => {
  expect(() => matchesWhole(expression, "a")).toThrow(InputError);
});
