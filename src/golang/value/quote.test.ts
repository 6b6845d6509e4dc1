import { expect, test } from "vitest";
import { fc } from "#seeded";
import { fromBytes } from "./bytes.ts";
import { canBackquote, quote, quoteRune, unquote } from "./quote.ts";

test("what was quoted is unquoted to the same bytes", () => {
  const text = fc.uint8Array({ maxLength: 20 }).map((array) => fromBytes(Uint8Array.from(array)));
  fc.assert(
    fc.property(text, fc.boolean(), (given, ascii) => {
      expect(unquote(quote(given, { ascii }))).toBe(given);
    }),
  );
});

test.each([
  { reason: "ordinary text", text: "a b", expected: '"a b"' },
  { reason: "what Go has names for", text: "\u0007\b\f\n\r\t\v", expected: '"\\a\\b\\f\\n\\r\\t\\v"' },
  { reason: "other control characters", text: "\0\u007f", expected: '"\\x00\\x7f"' },
  { reason: "quotes and backslashes", text: "\"\\'", expected: '"\\"\\\\\'"' },
  { reason: "what is not printable", text: "\u00ad\u2028\u{e0001}", expected: '"\\u00ad\\u2028\\U000e0001"' },
  { reason: "printable letters stay", text: "é😀", expected: '"é😀"' },
  { reason: "a letter that Unicode has since version 16 only", text: "\u{10d40}", expected: '"\\U00010d40"' },
  { reason: "a byte that is not UTF-8", text: "\udcff", expected: '"\\xff"' },
])("quoting: $reason", ({ text, expected }) => {
  expect(quote(text)).toBe(expected);
});

test("a character is quoted as a constant", () => {
  expect([quoteRune(0x27), quoteRune(0x22), quoteRune(0xe9, { ascii: true }), quoteRune(0x11_0000)]).toEqual([
    "'\\''",
    "'\"'",
    "'\\u00e9'",
    "'�'",
  ]);
});

test.each([
  { reason: "an escape that does not exist", literal: '"\\z"' },
  { reason: "a quote of the other kind", literal: '"\\\'"' },
  { reason: "half a surrogate pair", literal: '"\\ud800"' },
  { reason: "too few digits", literal: '"\\x4"' },
  { reason: "an octal number above 255", literal: '"\\400"' },
  { reason: "no end", literal: '"a' },
])("no literal: $reason", ({ literal }) => {
  expect(unquote(literal)).toBeUndefined();
});

test("a raw string loses nothing but carriage returns", () => {
  expect(unquote("`a\\n\r\nb`")).toBe("a\\n\nb");
});

test("control characters cannot stand between backquotes", () => {
  expect(["a\tb", "a\nb", "a`b", "\ufeff", "\udc80"].map(canBackquote)).toEqual([true, false, false, false, false]);
});
