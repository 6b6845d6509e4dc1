import { describe, expect, test } from "vitest";
import { findOrderProblems } from "./check-order.ts";

function problems(after: Readonly<Record<string, readonly string[]>>) {
  const found = findOrderProblems(new Map(Object.entries(after)), new Set([...Object.keys(after), "alone"]));
  return found.map(({ name, index, what, next }) => `${name}[${index}]: ${what}; ${next}`);
}

describe("the order of integrations", () => {
  test("a chain, and two that come after the same one, are fine", () => {
    expect(problems({ a: [], b: ["a"], c: ["a", "b"], d: ["alone"] })).toEqual([]);
  });

  test("a name that does not exist is an error with a proposal", () => {
    expect(problems({ a: ["alone", "aloone"] })).toEqual([
      "a[1]: a comes after aloone, which is not an integration; did you mean alone?",
    ]);
  });

  test("a cycle is an error of each that is on it, and not of those that only lead there", () => {
    expect(problems({ a: ["b"], b: ["alone", "c"], c: ["a"], d: ["a"] })).toEqual([
      "a[0]: a comes after itself: a after b after c after a; delete one of them from its after",
      "b[1]: b comes after itself: b after c after a after b; delete one of them from its after",
      "c[0]: c comes after itself: c after a after b after c; delete one of them from its after",
    ]);
  });

  test("an integration does not come after itself", () => {
    expect(problems({ a: ["a"] })).toEqual([
      "a[0]: a comes after itself: a after a; delete one of them from its after",
    ]);
  });
});
