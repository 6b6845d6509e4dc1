import { InputError, parseFieldPath } from "#base";
import type { z } from "zod";
import { withMark } from "./marks.ts";
import type { ValidationRule } from "./structural-schema.ts";

/** A CEL rule, and optionally its twin for zod, so that Tenon notices before the API server does. */
export interface CheckedRule<Value> extends ValidationRule {
  readonly check?: (value: Value) => boolean;
}

/**
 * Adds CEL rules, which the API server enforces. The message is also what the documentation says.
 * A rule costs: strings, lists and maps it looks at need `.max()` or `sized`, or the server refuses the definition.
 */
export function validations<Schema extends z.ZodType>(
  schema: Schema,
  rules: readonly CheckedRule<NonNullable<z.output<Schema>>>[],
): Schema {
  const kept = rules.map(({ check, ...rule }) => {
    if (check && comparesWithOld(rule)) {
      throw new InputError("a check for zod sees no earlier value", {
        where: `rule ${JSON.stringify(rule.rule)}`,
        next: "leave out check: only the API server can compare with oldSelf",
      });
    }
    return rule;
  });
  return withMark(schema, { rules: kept }, (value) =>
    rules
      .filter(({ check }) => check && !check(value))
      .map(({ message, fieldPath = "" }) => ({ message, path: parseFieldPath(fieldPath.replace(/^\./, "")) })),
  );
}

export function comparesWithOld(rule: ValidationRule): boolean {
  return /\boldSelf\b/.test(rule.rule);
}
