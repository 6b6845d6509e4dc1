import { describe, expect, test } from "vitest";
import { escapeRe2, toRe2 } from "./re2-pattern.ts";

describe("toRe2 writes the same language", () => {
  test.each([
    {
      from: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
      to: String.raw`^[a-z0-9]([\-a-z0-9]*[a-z0-9])?$`,
      reason: "most is alike",
    },
    { from: "a.c", flags: "u", to: String.raw`a[^\n\r\x{2028}\x{2029}]c`, reason: "four line ends, RE2 knows one" },
    { from: "a.c", flags: "su", to: "a(?s:.)c", reason: "the flag s" },
    { from: "^[^/]+$", to: "^[^/]+$", reason: "halves of characters do not matter where they are not counted" },
    { from: "^[^/]{1,3}$", flags: "u", to: "^[^/]{1,3}$", reason: "nor with the flag u" },
    { from: String.raw`[\s\S]*[^]*`, to: "(?s:.)*(?s:.)*", reason: "the idioms for any character" },
    {
      from: String.raw`\u00e4\x41\cA\0\t`,
      to: String.raw`äA\x{1}\x{0}\x{9}`,
      reason: "escapes that RE2 spells otherwise",
    },
    { from: String.raw`\u{1f600}`, flags: "u", to: String.raw`\x{1f600}`, reason: "a character beyond U+FFFF" },
    { from: String.raw`\ud83d\ude00`, flags: "u", to: String.raw`\x{1f600}`, reason: "the same as two halves" },
    { from: String.raw`\a\z\Q\-`, to: String.raw`azQ\-`, reason: "letters that mean something in RE2 only" },
    { from: "[[:alpha:]]", to: String.raw`[\[:alpha:]\]`, reason: "JavaScript has no POSIX classes" },
    {
      from: String.raw`[\b-\d\W]*`,
      to: String.raw`[\x{8}\-\d\W]*`,
      reason: "backspace, and a hyphen that is not a range",
    },
    { from: "a{,3}b{2}c{2,}", to: String.raw`a\{,3\}b{2}c{2,}`, reason: "{,3} is not a count in JavaScript" },
    {
      from: String.raw`(?<year>\d{4})(?:a|b)`,
      to: String.raw`(\d{4})(?:a|b)`,
      reason: "names do not change what matches",
    },
    { from: "k-9[x-z]", flags: "i", to: String.raw`[kK]\-9[x-zX-Z]`, reason: "RE2 would take the Kelvin sign for a k" },
    { from: String.raw`\p{L}[\P{Nd}]`, flags: "u", to: String.raw`\p{L}[\P{Nd}]`, reason: "general categories" },
    { from: String.raw`\bx\B`, to: String.raw`\bx\B`, reason: "word boundaries are ASCII in both" },
  ])("$from: $reason", ({ from, flags = "", to }) => {
    expect(toRe2(new RegExp(from, flags))).toStrictEqual({ pattern: to });
  });

  test("spells out what JavaScript calls space", () => {
    expect(toRe2(/\s/)).toHaveProperty("pattern", expect.stringContaining(String.raw`\x{feff}`));
    expect(toRe2(/[\s-]/)).toHaveProperty("pattern", expect.stringContaining(String.raw`\x{feff}\-]`));
  });
});

describe("toRe2 names what RE2 does not support", () => {
  test.each([
    { from: "a(?=b)", says: "a lookaround, (?=", reason: "lookahead" },
    { from: "(?<!a)b", says: "a lookaround, (?<!", reason: "lookbehind" },
    { from: String.raw`(a)\1`, says: "a backreference", reason: "by number" },
    { from: String.raw`(?<x>a)\k<x>`, says: "a backreference", reason: "by name" },
    { from: "a", flags: "g", says: "the flag g", reason: "zod would test with a state" },
    { from: "a", flags: "y", says: "the flag y", reason: "likewise" },
    { from: "a", flags: "v", says: "the flag v", reason: "classes that are expressions" },
    { from: "a", flags: "iu", says: "the flags i and u together", reason: "cases beyond ASCII differ" },
    { from: "ä", flags: "i", says: "the case of ä", reason: "likewise" },
    { from: "[ä-ö]", flags: "i", says: "the case of ö", reason: "likewise in a class" },
    { from: "^.$", says: "half of a character", reason: "without u, JavaScript counts halves" },
    { from: String.raw`^\D$`, says: "half of a character", reason: "likewise" },
    { from: "[😀]", says: "half of a character", reason: "likewise" },
    { from: "[]", says: "the empty class", reason: "matches nothing" },
    { from: String.raw`[a\S]*`, says: String.raw`\S in a class`, reason: "has no inside" },
    { from: String.raw`\p{Script=Greek}`, flags: "u", says: String.raw`\p{Script`, reason: "properties" },
    { from: "a{1001}", says: "more than 1000 repetitions", reason: "Go's limit" },
    { from: "(?i:a)", says: "the group (?i:", reason: "flags of a part" },
  ])("$from $flags: $reason", ({ from, flags = "", says }) => {
    const { problem, next } = { problem: "", next: "", ...toRe2(new RegExp(from, flags)) };
    expect(problem).toContain(says);
    expect(next).not.toBe("");
  });
});

test("escapeRe2 writes text that matches itself", () => {
  expect(escapeRe2("a.b[]\n/ä😀")).toBe(String.raw`a\.b\[\]\x{a}/ä\x{1f600}`);
});
