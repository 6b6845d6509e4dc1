import type { z } from "zod";
import { InputError, parseFieldPath } from "#base";
import { withMark } from "./marks.ts";
import { refusal, type SchemaPath } from "./refusal.ts";
import type { StructuralSchema, ValidationRule } from "./structural-schema.ts";

/** A CEL rule, optionally with the same check for zod, so that Tenon reports a violation before the API server does. */
export interface CheckedRule<Value> extends ValidationRule {
  readonly check?: (value: Value) => boolean;
}

/**
 * Adds CEL rules, which the API server enforces. The message also appears in the reference.
 * The server limits the cost of rules: strings, lists and maps that a rule reads need `.max()` or `sized`.
 */
export function validations<Schema extends z.ZodType>(
  schema: Schema,
  rules: readonly CheckedRule<NonNullable<z.output<Schema>>>[],
): Schema {
  const kept = rules.map(({ check, ...rule }) => {
    if (check && comparesWithOld(rule)) {
      throw new InputError("a check for zod cannot see the old value", {
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

function comparesWithOld(rule: ValidationRule): boolean {
  return /\boldSelf\b/.test(rule.rule);
}

/** Checks only what the server refuses with an unclear message; it explains other mistakes in rules better itself. */
export function checkRules(schema: StructuralSchema, path: SchemaPath): void {
  const rules = schema["x-kubernetes-validations"] ?? [];
  if (rules.length > 0 && !hasCelType(schema)) {
    throw refusal(
      path,
      "a rule cannot read a value without a type",
      "give the values a type, or put the rule elsewhere",
    );
  }
  for (const rule of rules) checkRule(rule, path);
}

function checkRule({ rule, message }: ValidationRule, path: SchemaPath): void {
  if (rule.trim() === "" || message.trim() === "" || /[\n\r]/.test(message.trim())) {
    throw refusal(path, "a rule needs an expression and a message of one line", "give both");
  }
}

/** https://kubernetes.io/docs/reference/using-api/cel/#type-system-integration */
export function hasCelType(schema: StructuralSchema): boolean {
  if (schema.items) return hasCelType(schema.items);
  if (schema.additionalProperties) return hasCelType(schema.additionalProperties);
  return schema.type !== undefined || schema["x-kubernetes-int-or-string"] === true;
}
