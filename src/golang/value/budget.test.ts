import { expect, test } from "vitest";
import { Budget, LimitError } from "./budget.ts";

const limits = { steps: 10_000, milliseconds: 100, output: 1_000, depth: 2 };

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

test("steps end soon after their bound", () => {
  const budget = new Budget(limits, () => 0);
  const count = countUntilLimit(() => budget.step());
  expect(count).toBeGreaterThan(limits.steps);
  expect(count).toBeLessThan(limits.steps + 2_000);
});

test("processor time ends a rendering however few steps it takes", () => {
  let now = 0;
  const budget = new Budget(limits, () => now);
  budget.step(2_000);
  now = 101;
  expect(() => budget.step(2_000)).toThrow("takes more than 100 ms of processor time");
});

test("output is counted in all, what is made at once and in all", () => {
  const budget = new Budget(limits, () => 0);
  budget.write(1_000);
  expect(() => budget.write(1)).toThrow("writes more than 1000 bytes");
  expect(() => budget.make(1_001n)).toThrow("makes more than 1000 bytes or elements at once");
  expect(() => budget.makeList(42)).toThrow("makes more than 1000 bytes or elements at once");
  expect(() => budget.takeApart("a".repeat(32))).toThrow("makes more than 1000 bytes or elements at once");
  expect(countUntilLimit(() => budget.make(1_000))).toBe(33);
});

test("depth is that of templates in templates, and given back", () => {
  const budget = new Budget(limits, () => 0);
  budget.enter();
  budget.enter();
  expect(() => budget.enter()).toThrow("exceeded maximum template depth (2)");
  budget.leave();
  budget.enter();
  budget.returnTo(0);
  expect(budget.depth).toBe(0);
});
