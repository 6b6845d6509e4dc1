import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkout } from "./generate/generated-pages.ts";

/** What plain English words otherwise, with what it says instead. */
const unplain = [
  { pattern: /\b(?:whoever|somebody)\b/i, instead: "name the user, the caller or the object" },
  { pattern: /(?<![/\w])nobody [a-z]/i, instead: "say `no user`, `no pod`, or what does not happen" },
  { pattern: /\b(?:is|are|was|were|be) told\b/, instead: "say `gets`, `shows`, `is reported`" },
  { pattern: /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b|one\b|such\b)/i, instead: "say `is not a`" },
];

const texts = ["*.md", "{src,console/src,docs,test,bench,lint,publish,examples,charts}/**/*.{ts,tsx,md,yaml,yml,tpl}"];
/** Quotes of other projects, and this list. */
const quotes = /^docs\/(?:generate\/seeds\/|reference\/seeds\.md|plain-words\.test\.ts)/;

test.each([
  { text: "nobody wants it any more", isPlain: false },
  { text: "whoever merges it approves it", isPlain: false },
  { text: "the plug is told so", isPlain: false },
  { text: "a text that is no number", isPlain: false },
  { text: "there is no such plug, and it is no longer desired", isPlain: true },
  { text: 'user: "nobody"', isPlain: true },
])("$text: plain is $isPlain", ({ text, isPlain }) => {
  expect(unplain.every(({ pattern }) => !pattern.test(text))).toBe(isPlain);
});

test("code, tests and pages use none of the words that plain English avoids", async () => {
  const all = await Array.fromAsync(glob(texts, { cwd: checkout, exclude: (name) => name.includes("node_modules") }));
  const files = all.filter((file) => !quotes.test(file));
  expect(files.length).toBeGreaterThan(2_000);
  const found = await Promise.all(
    files.map(async (file) => {
      const lines = (await readFile(join(checkout, file), "utf8")).split("\n");
      return lines.flatMap((line, index) =>
        unplain.flatMap(({ pattern, instead }) =>
          pattern.test(line) ? [`${file}:${index + 1}: ${line.trim().slice(0, 120)}: ${instead}`] : [],
        ),
      );
    }),
  );
  expect(found.flat()).toEqual([]);
});
