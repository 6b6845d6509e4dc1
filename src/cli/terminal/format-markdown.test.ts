import { expect, test } from "vitest";
import { formatMarkdown } from "./format-markdown.ts";

test.for([
  { cell: "a|b", expected: "a\\|b", reason: "a pipe begins no cell" },
  { cell: "a\\|b", expected: "a\\\\\\|b", reason: "a backslash before it does not undo that" },
  { cell: "<script>", expected: "\\<script\\>", reason: "no HTML" },
  { cell: "*[x](http://y)*", expected: "\\*\\[x\\](http://y)\\*", reason: "no markup, no link text" },
  { cell: "a\nb", expected: "a<br>b", reason: "a row is one line" },
  { cell: "a\u001Bb", expected: "a\\\\u001bb", reason: "escapes are shown" },
  { cell: undefined, expected: "", reason: "an empty cell is empty" },
])("$expected: $reason", ({ cell, expected }) => {
  const table = formatMarkdown([{ cell }], [{ header: "cell", value: (row) => row.cell }]);
  expect(table).toBe(`| cell |\n| --- |\n| ${expected} |\n`);
});
