import { describe, expect, test } from "vitest";
import { formatBytes, mostBytes, parseBytes } from "./memory-amount.ts";

const gibi = 1024 ** 3;

describe("an amount of memory is read as Kubernetes reads it", () => {
  test.for([
    { reason: "bytes have no unit", text: "1000", bytes: 1_000 },
    { reason: "binary units", text: "1Gi", bytes: gibi },
    { reason: "the smallest binary unit", text: "1Ki", bytes: 1024 },
    { reason: "the largest binary unit", text: "1Ei", bytes: 1024 ** 6 },
    { reason: "decimal units", text: "2G", bytes: 2_000_000_000 },
    { reason: "the small k is decimal", text: "1k", bytes: 1_000 },
    { reason: "a fraction", text: "1.5Gi", bytes: 1.5 * gibi },
    { reason: "a fraction without its zero", text: ".5Gi", bytes: gibi / 2 },
    { reason: "a point without a fraction", text: "5.", bytes: 5 },
    { reason: "part of a byte is a whole one", text: "1.5", bytes: 2 },
    { reason: "thousandths, which Kubernetes writes for fractions", text: "128974848000m", bytes: 128_974_848 },
    { reason: "an exponent", text: "3e9", bytes: 3_000_000_000 },
    { reason: "an exponent with a sign", text: "12E+6", bytes: 12_000_000 },
    { reason: "a sign", text: "+1Gi", bytes: gibi },
    { reason: "nothing", text: "0", bytes: 0 },
    { reason: "more than Kubernetes can hold is the most that it can", text: "9".repeat(400), bytes: mostBytes },
    { reason: "the same with an exponent", text: "1e999", bytes: mostBytes },
  ])("$text: $reason", ({ text, bytes }) => {
    expect(parseBytes(text)).toBe(bytes);
  });

  test.for([
    { reason: "no number", text: "Gi" },
    { reason: "empty", text: "" },
    { reason: "no unit of Kubernetes", text: "1GB" },
    { reason: "the large K is not a unit", text: "1K" },
    { reason: "less than nothing", text: "-1Gi" },
    { reason: "a space", text: "1 Gi" },
    { reason: "a line end", text: "1Gi\n" },
    { reason: "an exponent and a unit", text: "1e3Gi" },
    { reason: "not a number", text: "NaN" },
  ])("$text is not an amount: $reason", ({ text }) => {
    expect(parseBytes(text)).toBeUndefined();
  });
});

describe("an amount of memory is written in the largest unit without a fraction", () => {
  test.for([
    { reason: "a whole unit", bytes: 2 * gibi, text: "2Gi" },
    { reason: "a unit and a half is whole in the unit below", bytes: 1.5 * gibi, text: "1536Mi" },
    { reason: "decimal amounts have no binary unit", bytes: 1_500_000_000, text: "1500000000" },
    { reason: "nothing has no unit", bytes: 0, text: "0" },
    { reason: "the most is not written with an exponent", bytes: mostBytes, text: "9007199254740991Ki" },
  ])("$text: $reason", ({ bytes, text }) => {
    expect(formatBytes(bytes)).toBe(text);
    expect(parseBytes(text)).toBe(bytes);
  });
});
