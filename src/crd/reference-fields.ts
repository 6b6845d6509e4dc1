import { fieldBelow, itemBelow, type SchemaPath } from "./refusal.ts";
import type { StructuralSchema, ValidationRule, ValueValidation } from "./structural-schema.ts";
import { markdownCode, joinWithOr } from "./words.ts";

/** A row of the reference. */
export interface ReferenceField {
  readonly path: SchemaPath;
  readonly type: string;
  readonly isRequired: boolean;
  /** Description, default, constraints and rules, a sentence each. */
  readonly sentences: readonly string[];
}

/** The fields of a schema in the order of their definition, those below a field right after it. */
export function referenceFields(schema: StructuralSchema, path: SchemaPath, isRequired: boolean): ReferenceField[] {
  const row = { path, type: typeName(schema), isRequired, sentences: sentencesOf(schema) };
  return [row, ...fieldsBelow(schema, path)];
}

function fieldsBelow(schema: StructuralSchema, path: SchemaPath): ReferenceField[] {
  const { properties = {}, required = [], items, additionalProperties } = schema;
  const inner = items ?? additionalProperties;
  if (inner) return fieldsBelow(inner, itemBelow(path));
  return Object.entries(properties).flatMap(([name, field]) =>
    referenceFields(field, fieldBelow(path, name), required.includes(name)),
  );
}

function typeName(schema: StructuralSchema): string {
  const { type, format, items, additionalProperties, nullable } = schema;
  const name = () => {
    if (items) return `list of ${typeName(items)}`;
    if (additionalProperties) return `map of ${typeName(additionalProperties)}`;
    if (schema["x-kubernetes-int-or-string"]) return "integer or string";
    if (schema["x-kubernetes-embedded-resource"]) return "Kubernetes object";
    if (type === undefined) return "any";
    return format === undefined || type !== "string" ? type : `${type} (${format})`;
  };
  return nullable && type !== undefined ? `${name()} or null` : name();
}

function sentencesOf(schema: StructuralSchema): string[] {
  const { description, default: given, oneOf = [], items, additionalProperties } = schema;
  const inner = items ?? additionalProperties;
  return [
    ...(description === undefined ? [] : [endSentence(description)]),
    ...(given === undefined ? [] : [`Default: ${markdownCode(JSON.stringify(given))}.`]),
    ...constraints(schema),
    ...(inner ? constraints(inner).map((text) => `Each: ${text}`) : []),
    ...oneOf.map(branchSentence),
    ...(schema["x-kubernetes-preserve-unknown-fields"] && schema.type ? ["May have any other field."] : []),
    ...rulesOf(schema).map(ruleSentence),
    ...(inner ? rulesOf(inner).map((rule) => `Each: ${ruleSentence(rule)}`) : []),
  ];
}

function constraints(schema: StructuralSchema): string[] {
  const { enum: values, pattern, allOf = [], multipleOf, format } = schema;
  const lists = format === undefined ? range("items", schema.minItems, schema.maxItems) : [];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  return [
    ...(values ? [`One of ${joinWithOr(values.map((value) => markdownCode(JSON.stringify(value))))}.`] : []),
    ...numberRange(schema),
    ...(multipleOf === undefined ? [] : [`A multiple of ${multipleOf}.`]),
    ...range("characters", schema.minLength, schema.maxLength),
    ...lists,
    ...range("entries", schema.minProperties, schema.maxProperties),
    ...[pattern, ...allOf.map((other) => other.pattern)].flatMap((text) =>
      text === undefined ? [] : [`Matches ${markdownCode(text)}.`],
    ),
    ...(schema["x-kubernetes-list-type"] === "set" ? ["No item twice."] : []),
    ...(keys.length > 0 ? [`Items differ by ${keys.map((key) => markdownCode(key)).join(" and ")}.`] : []),
  ];
}

function numberRange({
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
  type,
  format,
}: StructuralSchema): string[] {
  const isLimit = (bound: number | undefined) => bound !== undefined && !isTypeLimit(bound, type, format);
  return [
    ...(isLimit(minimum) ? [`${exclusiveMinimum ? "More than" : "At least"} ${minimum}.`] : []),
    ...(isLimit(maximum) ? [`${exclusiveMaximum ? "Less than" : "At most"} ${maximum}.`] : []),
  ];
}

/** Bounds that only say what an integer can be. */
function isTypeLimit(bound: number, type: string | undefined, format: string | undefined): boolean {
  if (type === "integer" && format === "int32") return bound === -(2 ** 31) || bound === 2 ** 31 - 1;
  return Math.abs(bound) === Number.MAX_SAFE_INTEGER;
}

function range(what: string, min: number | undefined, max: number | undefined): string[] {
  if (min !== undefined && min === max) return [`Exactly ${min} ${what}.`];
  if (min !== undefined && max !== undefined) return [`${min} to ${max} ${what}.`];
  if (min !== undefined) return [`At least ${min} ${what}.`];
  return max === undefined ? [] : [`At most ${max} ${what}.`];
}

function branchSentence({ properties = {}, required = [], not }: ValueValidation): string {
  const when = Object.entries(properties).map(
    ([name, { enum: values = [] }]) =>
      `${markdownCode(name)} is ${joinWithOr(values.map((value) => markdownCode(JSON.stringify(value))))}`,
  );
  const needs =
    required.length > 0 ? `has ${required.map((name) => markdownCode(name)).join(", ")}` : "needs nothing more";
  const without = not?.anyOf?.flatMap((each) => each.required ?? []).map((name) => markdownCode(name)) ?? [];
  return `Where ${when.join(" and ")}: ${needs}${without.length > 0 ? ` and not ${joinWithOr(without)}` : ""}.`;
}

function rulesOf(schema: StructuralSchema): readonly ValidationRule[] {
  return schema["x-kubernetes-validations"] ?? [];
}

export function ruleSentence({ rule, message, fieldPath }: ValidationRule): string {
  const subject = fieldPath === undefined ? "" : `${markdownCode(fieldPath.replace(/^\./, ""))}: `;
  return `Rule: ${subject}${message.replace(/\.$/, "")} (${markdownCode(rule)}).`;
}

function endSentence(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return /[.!?]$/.test(line) ? line : `${line}.`;
}
