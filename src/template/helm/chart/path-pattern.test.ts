import { describe, expect, test } from "vitest";
import { compilePathPattern } from "./path-pattern.ts";

describe("compilePathPattern", () => {
  test.each([
    { pattern: "*.yaml", path: "a.yaml", matches: true, reason: "a star" },
    { pattern: "*.yaml", path: "a/b.yaml", matches: false, reason: "a star stops at a slash" },
    { pattern: "a/*/c", path: "a/b/c", matches: true, reason: "a star between slashes" },
    { pattern: "a?c", path: "abc", matches: true, reason: "one character" },
    { pattern: "a?c", path: "a/c", matches: false, reason: "a question mark stops at a slash" },
    { pattern: "[a-c]x", path: "bx", matches: true, reason: "a range" },
    { pattern: "[^a-c]x", path: "bx", matches: false, reason: "a range that is negated" },
    { pattern: "[/]", path: "/", matches: true, reason: "a class may hold a slash" },
    { pattern: "*a*b*", path: "xaayybzz", matches: true, reason: "several stars" },
    { pattern: "*a*b", path: "xaayybzz", matches: false, reason: "the end must match, too" },
    { pattern: String.raw`\*`, path: "*", matches: true, reason: "an escape" },
    { pattern: String.raw`[\]]`, path: "]", matches: true, reason: "an escape in a class" },
    { pattern: "ä?", path: "äü", matches: true, reason: "letters beyond ASCII" },
    { pattern: "", path: "", matches: true, reason: "nothing" },
    { pattern: "**", path: "ab", matches: true, reason: "two stars are one" },
  ])("a path pattern, $reason: $pattern and $path", ({ pattern, path, matches }) => {
    expect(compilePathPattern(pattern)?.(path)).toBe(matches);
  });

  test.each(["[", "[a", "[]", "[-]", "[a-]", "a\\", "[^]", "[a-"])("%s is not a valid path pattern", (pattern) => {
    expect(compilePathPattern(pattern)).toBeUndefined();
  });

  test("a path pattern with many stars takes linear time", () => {
    const matches = compilePathPattern(`${"*a".repeat(50)}b`);
    expect(matches?.("a".repeat(20_000))).toBe(false);
  });
});
