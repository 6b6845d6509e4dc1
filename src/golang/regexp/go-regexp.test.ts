import { describe, expect, test } from "vitest";
import { Budget, chartLimits, LimitError, tenantLimits } from "../value/budget.ts";
import { FunctionError } from "../value/go-function.ts";
import { compileRegexp, findAll, findFirst } from "./go-regexp.ts";
import { replaceAll } from "./replace-all.ts";

function budget(): Budget {
  return new Budget(chartLimits);
}

describe("expressions that take a backtracking engine forever", () => {
  const hostile = [
    { reason: "repetitions within repetitions", pattern: "(a+)+$", text: `${"a".repeat(20_000)}b` },
    { reason: "empty repetitions", pattern: "(x*)*y", text: "x".repeat(20_000) },
    { reason: "alternatives that overlap", pattern: "(a|a|aa)*c", text: "a".repeat(20_000) },
    { reason: "many stars in a row", pattern: ".*.*.*.*.*[=]", text: "a".repeat(20_000) },
    { reason: "optional copies", pattern: "(a?){100}a{100}$", text: `${"a".repeat(100)}b` },
    { reason: "one of many words", pattern: `(${words(2_000)})+!`, text: words(2_000).replaceAll("|", "") },
  ];

  test.each(hostile)(
    "an expression that takes a backtracking engine forever ends soon: $reason",
    ({ pattern, text }) => {
      expect(findFirst(compileRegexp(pattern, budget()), text, budget())).toBeUndefined();
    },
  );
});

function words(count: number): string {
  return Array.from({ length: count }, (_, index) => `w${index.toString(36)}`).join("|");
}

describe("bounds", () => {
  const tooLarge = [
    { reason: "many copies of a long expression", pattern: `(${"abcdefghij".repeat(12)}){1000}` },
    { reason: "copies of copies", pattern: `((${"ab".repeat(500)}){10}){100}` },
    { reason: "many classes of thousands of characters", pattern: "\\pL".repeat(400) },
    { reason: "a very long expression", pattern: "a".repeat(100_001) },
    { reason: "many groups, each of which is stored", pattern: "(a)".repeat(5_000) },
  ];

  test.each(tooLarge)("an expression is refused: $reason", ({ pattern }) => {
    expect(() => compileRegexp(pattern, budget())).toThrow(LimitError);
  });

  test("a tenant pays for the text and the expression", () => {
    const regexp = compileRegexp("([a-z]{1,50}[0-9])+", budget());
    expect(() => findFirst(regexp, "a".repeat(1 << 20), new Budget(tenantLimits))).toThrow("steps");
  });

  test("a tenant pays for each of many matches", () => {
    const regexp = compileRegexp("", budget());
    const text = "a".repeat(200_000);
    expect(() => [...findAll(regexp, text, Infinity, new Budget(tenantLimits))]).toThrow("steps");
  });

  test("a replacement may not grow without bound", () => {
    const regexp = compileRegexp("a", budget());
    const limits = { ...chartLimits, output: 1_000 };
    expect(() => replaceAll(regexp, "a".repeat(100), "b".repeat(100), new Budget(limits))).toThrow("1000");
  });

  test("compiled expressions are cached up to a bound", () => {
    const first = compileRegexp("kept", budget());
    expect(compileRegexp("kept", budget())).toBe(first);
    for (let index = 0; index < 10; index += 1) compileRegexp(`[a-z]{1000}${"x".repeat(20_000)}${index}`, budget());
    expect(compileRegexp("kept", budget())).not.toBe(first);
  });
});

describe("what Go says of a bad expression", () => {
  const bad = [
    { reason: "names are put back", pattern: "(?P<n>a)(?P<n>b", piece: "missing closing ): `(?P<n>a)(?P<n>b`" },
    { reason: "classes are put back", pattern: "\\p{letter}[\\p{nd}", piece: "missing closing ]: `[\\p{nd}`" },
    { reason: "an unknown class is as written", pattern: "\\p{no such}", piece: "range: `\\p{no such}`" },
    { reason: "a class of a newer Unicode", pattern: "\\p{Garay}", piece: "range: `\\p{Garay}`" },
    { reason: "no piece at all", pattern: "\\", piece: "trailing backslash at end of expression: ``" },
    { reason: "a byte that is not UTF-8", pattern: "a\udcffb", piece: "invalid UTF-8: `\udcffb`" },
  ];

  test.each(bad)("a bad expression gives Go's message: $reason", ({ pattern, piece }) => {
    expect(() => compileRegexp(pattern, budget())).toThrow(FunctionError);
    expect(() => compileRegexp(pattern, budget())).toThrow(piece);
  });
});
