import { GraphQLError } from "graphql/error";
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";
import type { BundleIndex } from "../references/bundle-index.ts";
import type { FieldDescription } from "../type-description.ts";
import type { TypeCatalog } from "./type-catalog.ts";

/** Whether an object matches. */
export type Predicate = (object: JsonObject, index: BundleIndex) => boolean;

type Operator = (field: FieldDescription, operand: JsonValue, catalog: TypeCatalog) => Predicate;

const operators: Readonly<Record<string, Operator>> = { ne: notEqual, in: oneOf, filter: nested };

/** The argument `filter` of a query: every entry must match. Throws if it names a field that the type does not have. */
export function compileFilter(typeName: string, filter: JsonValue, catalog: TypeCatalog): Predicate {
  if (!isJsonObject(filter) && !isJsonList(filter)) {
    throw badFilter("expected a filter to be an object of fields", typeName);
  }
  const fields = catalog.filterFields(typeName);
  const conditions = Object.entries(filter).map(([name, expected]) => {
    const field = fields.get(name);
    if (field !== undefined) return compileCondition(field, expected, catalog);
    throw new GraphQLError(`Field "${name}" does not exist on type "${typeName}"`, {
      extensions: { code: "BAD_FILTER_FIELD", gqlType: typeName },
    });
  });
  return (object, index) => conditions.every((condition) => condition(object, index));
}

/** A missing field counts as null. */
export function hasValue(name: string, value: JsonValue): Predicate {
  return (object) => valueOf(object, name) === value;
}

function compileCondition(field: FieldDescription, expected: JsonValue, catalog: TypeCatalog): Predicate {
  if (!isJsonObject(expected)) return equal(field, expected);
  const names = Object.keys(expected);
  const conditions = names.map((name) => {
    const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
    if (operator !== undefined) return operator(field, expected[name] ?? null, catalog);
    throw badFilter(`filter of ${field.name}: expected in, ne or filter, got ${JSON.stringify(name)}`, field.type);
  });
  if (names.length === 0)
    throw badFilter(`filter of ${field.name}: expected in, ne or filter, got an empty object`, field.type);
  return (object, index) => conditions.every((condition) => condition(object, index));
}

function equal({ name, isList }: FieldDescription, expected: JsonValue): Predicate {
  if (!isList || !isJsonList(expected)) return hasValue(name, expected);
  return (object) => {
    const value = valueOf(object, name);
    return isJsonList(value) && value.length === expected.length && value.every((item, at) => item === expected[at]);
  };
}

function notEqual(field: FieldDescription, value: JsonValue): Predicate {
  const isEqual = equal(field, value);
  return (object, index) => !isEqual(object, index);
}

function oneOf({ name, type }: FieldDescription, expected: JsonValue): Predicate {
  if (!isJsonList(expected)) throw badFilter(`filter of ${name}: expected in to be a list`, type);
  const values = new Set(expected);
  return (object) => Object.hasOwn(object, name) && values.has(valueOf(object, name));
}

/** In a list, every element must match. */
function nested({ name, type }: FieldDescription, filter: JsonValue, catalog: TypeCatalog): Predicate {
  if (catalog.type(type) === undefined) throw badFilter(`filter of ${name}: type ${type} has no fields`, type);
  const matches = compileFilter(type, filter, catalog);
  return (object, index) => {
    const value = index.resolve(valueOf(object, name));
    const elements = isJsonList(value) ? value : [value];
    return elements.every((element) => isJsonObject(element) && matches(element, index));
  };
}

function valueOf(object: JsonObject, name: string): JsonValue {
  return Object.hasOwn(object, name) ? (object[name] ?? null) : null;
}

function badFilter(message: string, typeName: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: "BAD_FILTER", gqlType: typeName } });
}
