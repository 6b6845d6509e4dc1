import { expect, test } from "vitest";
import { Budget, LimitError } from "./budget.ts";

const limits = { steps: 10_000, output: 1_000, memory: 32_000, depth: 2 };

function countUntilLimit(act: () => void): number {
  for (let count = 1; count < 1_000_000; count += 1) {
    try {
      act();
    } catch (error) {
      if (error instanceof LimitError) return count;
      throw error;
    }
  }
  return Infinity;
}

test("steps end at their bound", () => {
  const budget = new Budget(limits);
  expect(countUntilLimit(() => budget.step())).toBe(limits.steps + 1);
});

test("output is counted in all, what is made at once and in all", () => {
  const budget = new Budget(limits);
  budget.write(1_000);
  expect(() => budget.write(1)).toThrow("writes more than 1000 bytes");
  expect(() => budget.make(1_001n)).toThrow("makes more than 1000 bytes or elements at once");
  expect(() => budget.makeList(42)).toThrow("makes more than 1000 bytes or elements at once");
  expect(() => budget.takeApart("a".repeat(32))).toThrow("makes more than 1000 bytes or elements at once");
  expect(countUntilLimit(() => budget.make(1_000))).toBe(33);
});

test("a call counts as memory even if it makes nothing large", () => {
  const budget = new Budget(limits);
  expect(() => {
    for (let calls = 0; calls < 1_000; calls += 1) budget.call(1);
  }).toThrow("makes more than 32000 bytes of texts and lists in all");
});

test("depth is that of templates in templates, and given back", () => {
  const budget = new Budget(limits);
  budget.enter();
  budget.enter();
  expect(() => budget.enter()).toThrow("exceeded maximum template depth (2)");
  budget.leave();
  budget.enter();
  budget.returnTo(0);
  expect(budget.depth).toBe(0);
});
