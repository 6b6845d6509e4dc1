import { refusal, type SchemaPath } from "./refusal.ts";
import type { StructuralSchema, ValidationRule } from "./structural-schema.ts";

/** What the server would refuse with words that help nobody; all else about rules it explains better itself. */
export function checkRules(schema: StructuralSchema, path: SchemaPath): void {
  const rules = schema["x-kubernetes-validations"] ?? [];
  if (rules.length > 0 && !hasCelType(schema)) {
    throw refusal(
      path,
      "a rule cannot look at values of any type",
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
