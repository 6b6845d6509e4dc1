import type { Budget } from "../value/budget.ts";
import { GoRegexp } from "./go-regexp.ts";

const mostInstructions = 100_000;

/** What was compiled lately, oldest use first; the memory it takes grows with the sizes. */
const compiled = new Map<string, GoRegexp>();
let instructions = 0;

/** Go's `regexp.Compile`. Throws a `FunctionError` with Go's text. */
export function compileRegexp(pattern: string, budget: Budget): GoRegexp {
  const known = compiled.get(pattern);
  if (known !== undefined) {
    compiled.delete(pattern);
    compiled.set(pattern, known);
    return known;
  }
  budget.step(100 + 4 * pattern.length);
  const regexp = new GoRegexp(pattern);
  budget.step(4 * regexp.size);
  compiled.set(pattern, regexp);
  instructions += regexp.size + pattern.length;
  for (const [oldest, { size }] of compiled) {
    if (instructions <= mostInstructions) break;
    compiled.delete(oldest);
    instructions -= size + oldest.length;
  }
  return regexp;
}
