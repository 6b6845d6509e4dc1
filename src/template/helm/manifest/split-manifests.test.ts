import { expect, test } from "vitest";
import { splitManifests } from "./split-manifests.ts";

test.each([
  { text: "a: 1", documents: ["a: 1"], reason: "one" },
  { text: "---\na: 1\n---\nb: 2\n", documents: ["a: 1", "b: 2"], reason: "two" },
  { text: "\n\n---\n\na: 1\n\n\n---\n\n\nb: 2\n\n", documents: ["a: 1", "b: 2"], reason: "blank lines around" },
  {
    text: "a: 1\n--- # remark\nb: 2",
    documents: ["a: 1", "# remark\nb: 2"],
    reason: "a remark belongs to what follows",
  },
  { text: "a: 1\n---b: 2", documents: ["a: 1", "b: 2"], reason: "no line end is needed" },
  { text: "a: 1\n---\n---\nb: 2", documents: ["a: 1", "---\nb: 2"], reason: "of two separators the second is text" },
  { text: "a: |\n  x\n---\n  y", documents: ["a: |\n  x", "y"], reason: "even in a block" },
  { text: "a: |\n  x\n  ---\n  y", documents: ["a: |\n  x\n  ---\n  y"], reason: "but not if it is indented" },
  { text: "a: 1\r\n---\r\nb: 2\r\n", documents: ["a: 1", "b: 2"], reason: "line ends of Windows" },
  { text: "  \n ", documents: [], reason: "nothing" },
])("splitManifests: $reason", ({ text, documents }) => {
  expect(splitManifests(text)).toEqual(documents);
});

test("splitManifests takes no longer than the text is long", () => {
  const text = `a${" \n".repeat(200_000)}b\n---\nc`;
  expect(splitManifests(text)).toHaveLength(2);
});
