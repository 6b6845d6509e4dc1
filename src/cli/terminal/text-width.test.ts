import { expect, test } from "vitest";
import { cutStart, cutText, textWidth } from "./text-width.ts";

test.for([
  { text: "", width: 0, reason: "nothing" },
  { text: "plain", width: 5, reason: "one column per letter" },
  { text: "Größe", width: 5, reason: "letters with marks in one code point" },
  { text: "Gro\u0308ße", width: 5, reason: "a combining mark has no column of its own" },
  { text: "東京", width: 4, reason: "ideographs are wide" },
  { text: "한국", width: 4, reason: "Hangul is wide" },
  { text: "ｱｲ", width: 2, reason: "halfwidth katakana are not" },
  { text: "🚀", width: 2, reason: "emoji are wide" },
  { text: "👩‍👩‍👧", width: 2, reason: "a family joined by zero-width joiners is one" },
  { text: "❤️", width: 2, reason: "a variation selector makes a sign an emoji" },
  { text: "a\u200Bb", width: 2, reason: "a zero-width space has none" },
  { text: "…", width: 1, reason: "our own ellipsis" },
])("$text fills $width columns: $reason", ({ text, width }) => {
  expect(textWidth(text)).toBe(width);
});

test.for([
  { text: "abcdef", width: 6, cut: "abcdef", reason: "it fits" },
  { text: "abcdef", width: 5, cut: "abcd…", reason: "the ellipsis needs a column" },
  { text: "東京都", width: 4, cut: "東…", reason: "half of a wide character is not shown" },
  { text: "Gro\u0308ße", width: 4, cut: "Gro\u0308…", reason: "a mark stays with its letter" },
  { text: "abc", width: 1, cut: "…", reason: "no room for more" },
  { text: "abc", width: 0, cut: "", reason: "no room at all" },
])("$text in $width columns is $cut: $reason", ({ text, width, cut }) => {
  expect(cutText(text, width)).toBe(cut);
});

test.for([
  { text: "data/integrations/a.yml:12:3", width: 12, expected: "…/a.yml:12:3", reason: "the end stays" },
  { text: "short", width: 12, expected: "short", reason: "it fits" },
  { text: "東京東京", width: 5, expected: "…東京", reason: "wide characters count twice" },
  { text: "abc", width: 0, expected: "", reason: "there is no room" },
])("the end of $text in $width columns is $expected, because $reason", ({ text, width, expected }) => {
  expect(cutStart(text, width)).toBe(expected);
});
