import { expect, test } from "vitest";
import { matchesSample } from "./match-sample.ts";
import { parsePage } from "./read-page.ts";

test("a page is read as commands, with their continuations and here-documents, and samples", () => {
  const text = [
    "# A page",
    "```console",
    "$ cat > a.yml <<'END'",
    "$schema: x",
    "END",
    "$ tenon plan",
    "1 to create",
    "```",
    "```yaml",
    "a: 1",
    "```",
    "```sh",
    "A=1 \\",
    "  node main.ts",
    "tenon down",
    "```",
  ].join("\n");
  expect(parsePage("a.md", text)).toEqual([
    {
      page: "a.md",
      number: 1,
      commands: [
        { line: 3, typed: "cat > a.yml <<'END'\n$schema: x\nEND", sample: [] },
        { line: 6, typed: "tenon plan", sample: ["1 to create"] },
      ],
    },
    {
      page: "a.md",
      number: 2,
      commands: [
        { line: 13, typed: "A=1 \\\n  node main.ts", sample: [] },
        { line: 15, typed: "tenon down", sample: [] },
      ],
    },
  ]);
});

test("a comment above a block says why its commands, or some of them, are not run", () => {
  const text = [
    "<!-- not run: needs a cloud -->",
    "```sh",
    "cloud up",
    "```",
    "",
    "1. In a list:",
    "",
    "   <!-- not run, make test: it is this test",
    "        not run, docker: needs docker -->",
    "",
    "   ```console",
    "   $ make up",
    "   $ make test",
    "   $ docker load",
    "   ```",
  ].join("\n");
  const commands = parsePage("a.md", text).flatMap((block) => block.commands);
  expect(commands.map(({ typed, notRun }) => [typed, notRun])).toEqual([
    ["cloud up", "needs a cloud"],
    ["make up", undefined],
    ["make test", "it is this test"],
    ["docker load", "needs docker"],
  ]);
});

test.for([
  { sample: ["a 4 s"], output: "a   12 min\n", isMatch: true, reason: "times and widths do not count" },
  { sample: ["a", "...", "c"], output: "a\nb\nb\nc\n", isMatch: true, reason: "lines left out" },
  { sample: ["a", "...", "c"], output: "a\nb\n", isMatch: false, reason: "the last line is missing" },
  { sample: ["a ... c"], output: "a b b c\n", isMatch: true, reason: "text left out" },
  { sample: ["ready 2/2"], output: "ready 1/2\n", isMatch: false, reason: "a number that is not a time" },
  { sample: ["at 127.0.0.1:29769"], output: "at 127.0.0.1:1\n", isMatch: true, reason: "an address" },
  { sample: ["sha256:9c02..."], output: `sha256:${"a".repeat(64)}\n`, isMatch: true, reason: "a digest" },
  { sample: ["a"], output: "a\nb\n", isMatch: false, reason: "a line that the page does not show" },
])("$sample and $output: $reason", ({ sample, output, isMatch }) => {
  expect(matchesSample(sample, output)).toBe(isMatch);
});
