import { expect, test } from "vitest";
import { splitArguments } from "./split-arguments.ts";

test.each([
  {
    reason: "G8-13: a quoted part is one argument, and keeps the other kind of quotation marks",
    line: `--k '[{"a": "b c"}]'`,
    words: ["--k", '[{"a": "b c"}]'],
  },
  { reason: "spaces at the ends are nothing", line: "  a  b ", words: ["a", "b"] },
  { reason: "an empty line has no arguments", line: "", words: [] },
  { reason: "an empty quotation is an argument", line: "a ''", words: ["a", ""] },
  { reason: "parts without a space between them are one argument", line: `--x="a b"'c'd`, words: ["--x=a bcd"] },
  { reason: "a backslash takes the next character as it is", line: String.raw`a\ b \"`, words: ["a b", '"'] },
  {
    reason: "in double quotes it does so for quotes and itself",
    line: String.raw`"a\"b\\c\d"`,
    words: [String.raw`a"b\c\d`],
  },
])("$reason", ({ line, words }) => {
  expect(splitArguments(line)).toEqual(words);
});

test.each([`a 'b`, `a "b`, `a \\`])("refuses %s, whose quotation is not closed", (line) => {
  expect(() => splitArguments(line)).toThrow("unclosed quotation mark");
});
