import { expect, test } from "vitest";
import { splitManifests } from "./split-manifests.ts";

test.each([
  { text: "a: 1", documents: ["a: 1"], reason: "one document" },
  { text: "---\na: 1\n---\nb: 2\n", documents: ["a: 1", "b: 2"], reason: "two documents" },
  {
    text: "\n\n---\n\na: 1\n\n\n---\n\n\nb: 2\n\n",
    documents: ["a: 1", "b: 2"],
    reason: "blank lines around documents",
  },
  {
    text: "a: 1\n--- # remark\nb: 2",
    documents: ["a: 1", "# remark\nb: 2"],
    reason: "a comment behind the separator belongs to the next document",
  },
  { text: "a: 1\n---b: 2", documents: ["a: 1", "b: 2"], reason: "a separator needs no line end" },
  {
    text: "a: 1\n---\n---\nb: 2",
    documents: ["a: 1", "---\nb: 2"],
    reason: "of two adjacent separators the second is text",
  },
  { text: "a: |\n  x\n---\n  y", documents: ["a: |\n  x", "y"], reason: "a separator inside a block scalar splits" },
  {
    text: "a: |\n  x\n  ---\n  y",
    documents: ["a: |\n  x\n  ---\n  y"],
    reason: "an indented separator does not split",
  },
  { text: "a: 1\r\n---\r\nb: 2\r\n", documents: ["a: 1", "b: 2"], reason: "Windows line ends" },
  { text: "  \n ", documents: [], reason: "blank text" },
])("splitManifests: $reason", ({ text, documents }) => {
  expect(splitManifests(text)).toEqual(documents);
});

test("splitManifests takes linear time", () => {
  const text = `a${" \n".repeat(200_000)}b\n---\nc`;
  expect(splitManifests(text)).toHaveLength(2);
});
