import { InputError } from "#base";
import { Budget, LimitError, tenantLimits } from "../value/budget.ts";
import { FunctionError } from "../value/go-function.ts";
import { compileRegexp } from "./go-regexp.ts";

/**
 * Whether a text matches an expression of RE2 from its first character to its last, in time linear in the text.
 * Throws an InputError for an expression that is not valid RE2, or too large for a tenant.
 */
export function matchesWhole(expression: string, text: string): boolean {
  const budget = new Budget(tenantLimits);
  try {
    // By itself first: `a)|(b` is not valid, but would be between parentheses.
    compileRegexp(expression, budget);
    const whole = compileRegexp(`\\A(?:${expression})\\z`, budget);
    whole.charge(text, budget);
    return whole.matchAt(text, 0, 1) !== undefined;
  } catch (error) {
    if (!(error instanceof FunctionError || error instanceof LimitError)) throw error;
    throw new InputError(error.message, {
      next: "write an expression of RE2: https://github.com/google/re2/wiki/Syntax",
    });
  }
}
