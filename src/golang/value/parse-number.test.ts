import { expect, test } from "vitest";
import { fc } from "#seeded";
import { parseFloat64, parseInteger } from "./parse-number.ts";

test.each([
  { text: "1_000", value: 1000n },
  { text: "0x_1F", value: 31n },
  { text: "0b101", value: 5n },
  { text: "0o17", value: 15n },
  { text: "017", value: 15n },
  { text: "-0", value: 0n },
  { text: "08", value: undefined },
  { text: "1__0", value: undefined },
  { text: "1_", value: undefined },
  { text: "0x", value: undefined },
  { text: "99999999999999999999", value: 99_999_999_999_999_999_999n },
])("the integer $text", ({ text, value }) => {
  expect(parseInteger(text)).toBe(value);
});

test.each([
  { text: "0x1p-2", value: 0.25 },
  { text: "0x.8p1", value: 1 },
  { text: "-0x1.8p+1", value: -3 },
  { text: "1_0.5e1_0", value: 105_000_000_000 },
  { text: "inf", value: Infinity },
  { text: "-Infinity", value: -Infinity },
  { text: "0x1p-1075", value: 0 },
  { text: "0x1.8p-1074", value: 1e-323 },
  { text: "0x1.fffffffffffff7ffp0", value: 1.9999999999999998 },
])("the float $text", ({ text, value }) => {
  expect(parseFloat64(text)).toEqual({ value });
});

test.each([
  { text: "", problem: "invalid syntax" },
  { text: ".", problem: "invalid syntax" },
  { text: "1e", problem: "invalid syntax" },
  { text: "0x1", problem: "invalid syntax" },
  { text: "_1.5", problem: "invalid syntax" },
  { text: " 1", problem: "invalid syntax" },
  { text: "1e400", problem: "value out of range" },
  { text: "0x1p1024", problem: "value out of range" },
])("no float: $text", ({ text, problem }) => {
  expect(parseFloat64(text).problem).toBe(problem);
});

test("decimal texts of all doubles", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true }), (value) => {
      expect(parseFloat64(String(value)).value).toBe(value);
    }),
  );
});

test.each([
  { reason: "digits before a letter", text: `${"1".repeat(1_000_000)}x` },
  { reason: "digits before a second point", text: `1.${"1".repeat(1_000_000)}.` },
  { reason: "underscores", text: `1${"_1".repeat(500_000)}x` },
  { reason: "hexadecimal digits", text: `0x${"1".repeat(1_000_000)}.p` },
])("a long text that is not a number is refused in time that grows with its length only: $reason", ({ text }) => {
  expect(parseFloat64(text).problem).toBe("invalid syntax");
  expect(parseInteger(text)).toBeUndefined();
});
