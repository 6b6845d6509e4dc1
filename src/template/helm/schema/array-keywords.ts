import { type GoValue, weigh } from "#golang";
import { equalityKey } from "./compare-json.ts";
import type { SchemaFailure } from "./schema-failure.ts";
import type { KeywordCheck, KeywordContext, Schema, SchemaValidation } from "./schema.ts";
import { grouped } from "./scalar-keywords.ts";

type Items = readonly GoValue[];
type ArrayCheck = (validation: SchemaValidation, items: Items) => void;

/** The keywords for lists. */
export function arrayChecks(context: KeywordContext): KeywordCheck[] {
  const checks = [
    sizeCheck(context),
    context.object["uniqueItems"] === true ? failDuplicates : undefined,
    context.draft >= 2020 ? prefixCheck(context) : itemsCheck(context),
    context.draft >= 6 ? containsCheck(context) : undefined,
  ].filter((check) => check !== undefined);
  return checks.map((check) => (validation) => {
    if (Array.isArray(validation.value)) check(validation, validation.value);
  });
}

function sizeCheck({ count }: KeywordContext): ArrayCheck | undefined {
  const [least, most] = [count("minItems"), count("maxItems")];
  if (least === undefined && most === undefined) return undefined;
  return (validation, { length }) => {
    if (least !== undefined && length < least)
      validation.fail(`minItems: got ${grouped(length)}, want ${grouped(least)}`);
    if (most !== undefined && length > most) validation.fail(`maxItems: got ${grouped(length)}, want ${grouped(most)}`);
  };
}

function failDuplicates(validation: SchemaValidation, items: Items): void {
  const seen = new Map<string, number>();
  weigh(validation.value, validation.budget);
  for (const [index, item] of items.entries()) {
    const text = equalityKey(item);
    const twin = seen.get(text);
    if (twin !== undefined) return validation.fail(`items at ${grouped(twin)} and ${grouped(index)} are equal`);
    seen.set(text, index);
  }
}

function checkEach(
  validation: SchemaValidation,
  items: Items,
  from: number,
  schemaOf: (index: number) => Schema | undefined,
): void {
  for (let index = from; index < items.length; index += 1) {
    const schema = schemaOf(index);
    if (!schema) return;
    validation.add(validation.part(schema, items[index], String(index)));
  }
}

function prefixCheck({ schema, schemas }: KeywordContext): ArrayCheck | undefined {
  const prefix = schemas("prefixItems") ?? [];
  const rest = schema("items");
  if (prefix.length === 0 && !rest) return undefined;
  return (validation, items) => checkEach(validation, items, 0, (index) => prefix[index] ?? rest);
}

/** Before 2020-12, `items` is one schema for all, or a list of them for the first ones. */
function itemsCheck({ object, schema, schemas }: KeywordContext): ArrayCheck | undefined {
  const { items, additionalItems } = object;
  if (items === undefined) return undefined;
  if (!Array.isArray(items)) {
    const all = schema("items");
    return (validation, values) => checkEach(validation, values, 0, () => all);
  }
  const first = schemas("items") ?? [];
  const rest = typeof additionalItems === "boolean" ? undefined : schema("additionalItems");
  return (validation, values) => {
    checkEach(validation, values, 0, (index) => first[index] ?? rest);
    const extra = values.length - first.length;
    if (additionalItems === false && extra > 0) validation.fail(`last ${grouped(extra)} additionalItem(s) not allowed`);
  };
}

function containsCheck({ draft, schema, count }: KeywordContext): ArrayCheck | undefined {
  const contains = schema("contains");
  if (!contains) return undefined;
  const [least, most] = draft >= 2019 ? [count("minContains"), count("maxContains")] : [];
  return (validation, items) => {
    const failures: SchemaFailure[] = [];
    const matched: number[] = [];
    for (const [index, item] of items.entries()) {
      const failure = validation.part(contains, item, String(index));
      if (failure) failures.push(failure);
      else {
        matched.push(index);
        if (draft >= 2020) validation.unevaluated.items?.delete(index);
      }
    }
    const found = `matched ${grouped(matched.length)} items at ${matched.join(" ")}`;
    const rule = "items required to match contains schema, but";
    if (least === undefined) {
      if (matched.length === 0) validation.fail("no items match contains schema", failures);
    } else if (matched.length < least) {
      validation.fail(`min ${grouped(least)} ${rule} ${matched.length === 0 ? "none matched" : found}`, failures);
    }
    if (most !== undefined && matched.length > most) validation.fail(`max ${grouped(most)} ${rule} ${found}`);
  };
}
