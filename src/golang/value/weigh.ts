import { type Budget, LimitError } from "./budget.ts";
import { elementsOf, isGoObject } from "./kind.ts";
import { GoMap, Int, Named } from "./typed-values.ts";
import type { GoValue } from "./value.ts";

/**
 * Before a value is written out whole by something that knows no budget: a step for each of its parts, and the limit on what a
 * function may make. A value can be small and write out endlessly, where it holds the same part many times.
 */
export function weigh(value: GoValue, budget: Budget): void {
  let size = 0;
  const visit = (part: GoValue, depth: number): void => {
    checkDepth(depth);
    const length = typeof part === "string" ? part.length : 1;
    size += length;
    if (size > budget.limits.output) budget.make(size);
    budget.step(1 + (length >> 6));
    if (typeof part !== "object" || part === null || part instanceof Int) return;
    const elements = elementsOf(part);
    if (elements) {
      for (const element of elements) visit(element, depth + 1);
      return;
    }
    // In any order, unlike `mapView`, which sorts.
    for (const [key, element] of entriesOf(part)) {
      size += key.length;
      visit(element, depth + 1);
    }
  };
  visit(value, 0);
}

function entriesOf(value: GoValue): Iterable<readonly [string, GoValue]> {
  if (value instanceof Named) return entriesOf(value.underlying);
  if (value instanceof GoMap) return value.entries;
  return isGoObject(value) ? Object.entries(value) : [];
}

const deepest = 1_000;

/** For functions that recurse into a value: a map may contain itself, and this limit comes before the end of JavaScript's stack. */
export function checkDepth(depth: number): void {
  if (depth > deepest) throw new LimitError(`goes more than ${deepest} levels deep into a value`);
}
