import { describe, expect, test } from "vitest";
import { Budget, chartLimits } from "#golang";
import { compileGlob } from "./glob.ts";

interface GlobCase {
  readonly pattern: string;
  readonly yes: readonly string[];
  readonly no: readonly string[];
  readonly reason: string;
}

/** The answers are those of gobwas/glob, which Helm uses. */
const cases: GlobCase[] = [
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
  {
    pattern: "[a-zA-Z]*",
    yes: ["a", "0", "x/y"],
    no: [],
    reason: "a class with two ranges is not valid, and matches everything",
  },
  { pattern: "[", yes: ["a", "b/c"], no: [], reason: "a class that is not closed matches everything" },
  { pattern: "", yes: [""], no: ["a"], reason: "nothing" },
];

/** gobwas/glob answers the opposite for the paths in `differs`: docs/decisions/0048-globs-by-re2.md. */
const differences: (GlobCase & { readonly differs: readonly string[] })[] = [
  {
    pattern: "[!ab][!ab]",
    yes: ["cd"],
    no: ["ab", "c", "ax"],
    differs: ["ax"],
    reason: "each of two negated lists excludes its letters",
  },
  {
    pattern: "{config/,}*app*",
    yes: ["app.yaml", "my-app.yaml", "config/app.yaml"],
    no: ["files/app.yaml"],
    differs: ["app.yaml"],
    reason: "an empty alternative matches nothing before a star",
  },
  { pattern: "a***", yes: ["a", "ab", "a/b"], no: ["b"], differs: ["a"], reason: "three stars match nothing, too" },
  { pattern: "a{x,*}*b", yes: ["ab", "axb"], no: ["a"], differs: ["ab"], reason: "two stars match nothing, too" },
  { pattern: "?é", yes: ["xé"], no: ["x"], differs: ["xé"], reason: "a character may have several bytes" },
];

function globTest(pattern: string): (path: string) => boolean {
  return compileGlob(pattern, new Budget(chartLimits));
}

describe("compileGlob", () => {
  test.each(cases)("a glob as in Helm, $reason: $pattern", ({ pattern, yes, no }) => {
    const matches = globTest(pattern);
    expect(yes.filter((path) => !matches(path))).toEqual([]);
    expect(no.filter(matches)).toEqual([]);
  });

  test.each(differences)("a glob unlike in Helm, $reason: $pattern", ({ pattern, yes, no, differs }) => {
    const matches = globTest(pattern);
    expect(yes.filter((path) => !matches(path))).toEqual([]);
    expect(no.filter(matches)).toEqual([]);
    expect([...yes, ...no]).toEqual(expect.arrayContaining([...differs]));
  });

  test("a glob of many stars takes steps in proportion to the path", () => {
    const matches = compileGlob("*a*a*a*a*a*a*{a,*a*}*b", new Budget({ ...chartLimits, steps: 1_000_000 }));
    expect(matches("a".repeat(100_000))).toBe(false);
  });

  test("a glob with alternatives nested 50,000 deep is refused as too large", () => {
    expect(() => globTest("{".repeat(50_000))).toThrow("too large");
  });
});
