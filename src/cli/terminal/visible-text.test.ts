import { expect, test } from "vitest";
import { visibleText } from "./visible-text.ts";

test.for([
  { text: "Größe 東京 👩‍👩‍👧", visible: "Größe 東京 👩‍👩‍👧", reason: "letters and emoji stay" },
  { text: "a\nb\tc\r", visible: "a\\nb\\tc\\r", reason: "a line stays one line" },
  { text: "\u001B[31mred", visible: "\\u001b[31mred", reason: "no colour from outside text" },
  { text: "\u009B2J", visible: "\\u009b2J", reason: "no 8-bit control sequence" },
  { text: "\u0007", visible: "\\u0007", reason: "no bell" },
  { text: "abc\u202Efdp", visible: "abc\\u202efdp", reason: "no reversed file names" },
])("$visible: $reason", ({ text, visible }) => {
  expect(visibleText(text)).toBe(visible);
});
