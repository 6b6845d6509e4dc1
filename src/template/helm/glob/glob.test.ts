import { describe, expect, test } from "vitest";
import { compileGlob } from "./glob.ts";

/** Each was asked of the library that Helm uses. */
const cases: { pattern: string; yes: string[]; no: string[]; reason: string }[] = [
  { pattern: "a.txt", yes: ["a.txt"], no: ["b/a.txt", "a.txtx"], reason: "text" },
  { pattern: "*.txt", yes: ["a.txt", ".txt"], no: ["b/a.txt"], reason: "a star stops at slashes" },
  { pattern: "**.txt", yes: ["a.txt", "b/c/a.txt"], no: ["a.md"], reason: "two stars do not" },
  { pattern: "config/*", yes: ["config/a"], no: ["config/a/b", "config"], reason: "one level" },
  { pattern: "config/**", yes: ["config/a", "config/a/b", "config/"], no: ["config"], reason: "all levels" },
  { pattern: "a/**/b", yes: ["a/x/b", "a/x/y/b", "a/b"], no: ["a/xb"], reason: "ends that overlap match too" },
  { pattern: "?.md", yes: ["a.md"], no: [".md", "ab.md", "/.md"], reason: "one character" },
  { pattern: "[ab].c", yes: ["a.c", "b.c"], no: ["c.c"], reason: "a list" },
  { pattern: "[!ab].c", yes: ["c.c"], no: ["a.c"], reason: "all but a list" },
  { pattern: "[a-c]*", yes: ["b", "cx"], no: ["d"], reason: "a range" },
  { pattern: "{a,b}.c", yes: ["a.c", "b.c"], no: ["c.c", "ab.c"], reason: "alternatives" },
  { pattern: "{*.a,b/*}", yes: ["x.a", "b/c"], no: ["b/c/d", "x.b"], reason: "alternatives with stars" },
  { pattern: "d/*.{yml,yaml}", yes: ["d/a.yml", "d/a.yaml"], no: ["d/a.y", "a.yml"], reason: "endings" },
  { pattern: "{a,b", yes: ["a", "b"], no: ["{a,b"], reason: "alternatives that are not closed" },
  { pattern: String.raw`\*`, yes: ["*"], no: ["a"], reason: "an escape" },
  { pattern: "[a-zA-Z]*", yes: ["a", "0", "x/y"], no: [], reason: "two ranges cannot be read, and match everything" },
  { pattern: "[", yes: ["a", "b/c"], no: [], reason: "a class that is not closed, too" },
  {
    pattern: "[!ab][!ab]",
    yes: ["cd", "ax"],
    no: ["ab", "c"],
    reason: "lists beside each other exclude their letters in a row only",
  },
  { pattern: "", yes: [""], no: ["a"], reason: "nothing" },
];

describe("compileGlob", () => {
  test.each(cases)("$reason: $pattern", ({ pattern, yes, no }) => {
    const matches = compileGlob(pattern);
    expect(yes.filter((path) => !matches(path))).toEqual([]);
    expect(no.filter(matches)).toEqual([]);
  });
});
