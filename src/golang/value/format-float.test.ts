import { expect, test } from "vitest";
import { fc } from "#seeded";
import { formatFloat, formatShortest } from "./format-float.ts";
import { parseFloat64 } from "./parse-number.ts";

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });

test("the shortest form reads back as the same number", () => {
  fc.assert(
    fc.property(finite, (value) => {
      expect(Number(formatShortest(value))).toBe(value);
    }),
  );
});

test("the hexadecimal form reads back as the same number", () => {
  fc.assert(
    fc.property(finite, (value) => {
      expect(parseFloat64(formatFloat(value, "x", -1)).value).toBe(value);
    }),
  );
});

test("a given number of digits shows the exact value", () => {
  fc.assert(
    fc.property(finite, fc.nat({ max: 20 }), (value, precision) => {
      // JavaScript rounds exact halves up and Go to even; twenty digits more than any half of a double has are none.
      const theirs = value.toExponential(Math.min(precision + 60, 100));
      expect(formatFloat(value, "e", Math.min(precision + 60, 100)).replace(/e([+-])0?/, "e$1")).toBe(
        theirs.replace(/e([+-])0?/, "e$1"),
      );
    }),
  );
});

test.each([
  { value: 1e6, expected: "1e+06" },
  { value: 999_999, expected: "999999" },
  { value: 1e21, expected: "1e+21" },
  { value: 1e-4, expected: "0.0001" },
  { value: 1e-5, expected: "1e-05" },
  { value: 123_456_789, expected: "1.23456789e+08" },
  { value: -0, expected: "-0" },
  { value: 5e-324, expected: "5e-324" },
  { value: Infinity, expected: "+Inf" },
  { value: Number.NaN, expected: "NaN" },
])("%v of $value is $expected", ({ value, expected }) => {
  expect(formatShortest(value)).toBe(expected);
});

test.each([
  { verb: "f", precision: 0, value: 0.5, expected: "0", reason: "halves go to the even digit" },
  { verb: "f", precision: 0, value: 1.5, expected: "2", reason: "halves go to the even digit" },
  { verb: "f", precision: 2, value: 2.675, expected: "2.67", reason: "the double is less than it looks" },
  { verb: "f", precision: 0, value: 9.5, expected: "10", reason: "a carry makes a digit" },
  { verb: "f", precision: 3, value: 1e-10, expected: "0.000", reason: "nothing is left" },
  { verb: "f", precision: -1, value: 1e21, expected: "1000000000000000000000", reason: "no exponent in %f" },
  { verb: "e", precision: 3, value: 0, expected: "0.000e+00", reason: "zero" },
  { verb: "g", precision: 3, value: 1234.5, expected: "1.23e+03", reason: "as many digits as the precision says" },
  { verb: "G", precision: -1, value: 1e-7, expected: "1E-07", reason: "large letters" },
  { verb: "b", precision: -1, value: 1, expected: "4503599627370496p-52", reason: "binary" },
  { verb: "x", precision: 1, value: 0.1, expected: "0x1.ap-04", reason: "rounded hexadecimal digits" },
  { verb: "X", precision: -1, value: -2.5, expected: "-0X1.4P+01", reason: "large letters" },
])("%$precision$verb of $value: $reason", ({ verb, precision, value, expected }) => {
  expect(formatFloat(value, verb, precision)).toBe(expected);
});
