import { GraphQLError } from "graphql/error";
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";
import type { BundleIndex } from "../references/bundle-index.ts";
import type { FieldDescription } from "../type-description.ts";
import type { TypeCatalog } from "./type-catalog.ts";

/** Whether an object is chosen. */
export type Predicate = (object: JsonObject, index: BundleIndex) => boolean;

type Operator = (field: FieldDescription, operand: JsonValue, catalog: TypeCatalog) => Predicate;

const operators: Readonly<Record<string, Operator>> = { ne: notEqual, in: oneOf, filter: nested };

/** The argument `filter` of a query: every entry must hold. Throws where it names a field that the type does not have. */
export function compileFilter(typeName: string, filter: JsonValue, catalog: TypeCatalog): Predicate {
  if (!isJsonObject(filter) && !isJsonList(filter)) {
    throw badFilter("a filter is an object whose keys are fields", typeName);
  }
  const fields = catalog.filterFields(typeName);
  const conditions = Object.entries(filter).map(([name, wanted]) => {
    const field = fields.get(name);
    if (field !== undefined) return compileCondition(field, wanted, catalog);
    throw new GraphQLError(`Field "${name}" does not exist on type "${typeName}"`, {
      extensions: { code: "BAD_FILTER_FIELD", gqlType: typeName },
    });
  });
  return (object, index) => conditions.every((condition) => condition(object, index));
}

/** Missing and null are the same. */
export function hasValue(name: string, value: JsonValue): Predicate {
  return (object) => valueOf(object, name) === value;
}

function compileCondition(field: FieldDescription, wanted: JsonValue, catalog: TypeCatalog): Predicate {
  if (!isJsonObject(wanted)) return equal(field, wanted);
  const names = Object.keys(wanted);
  const conditions = names.map((name) => {
    const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
    if (operator !== undefined) return operator(field, wanted[name] ?? null, catalog);
    throw badFilter(`the filter of ${field.name} has ${JSON.stringify(name)}; there are in, ne and filter`, field.type);
  });
  if (names.length === 0)
    throw badFilter(`the filter of ${field.name} is empty; there are in, ne and filter`, field.type);
  return (object, index) => conditions.every((condition) => condition(object, index));
}

function equal({ name, isList }: FieldDescription, wanted: JsonValue): Predicate {
  if (!isList || !isJsonList(wanted)) return hasValue(name, wanted);
  return (object) => {
    const value = valueOf(object, name);
    return isJsonList(value) && value.length === wanted.length && value.every((item, at) => item === wanted[at]);
  };
}

function notEqual(field: FieldDescription, unwanted: JsonValue): Predicate {
  const isEqual = equal(field, unwanted);
  return (object, index) => !isEqual(object, index);
}

function oneOf({ name, type }: FieldDescription, wanted: JsonValue): Predicate {
  if (!isJsonList(wanted)) throw badFilter(`in of ${name} is not a list`, type);
  const values = new Set(wanted);
  return (object) => Object.hasOwn(object, name) && values.has(valueOf(object, name));
}

/** Of a list, every element must match. */
function nested({ name, type }: FieldDescription, filter: JsonValue, catalog: TypeCatalog): Predicate {
  if (catalog.type(type) === undefined) throw badFilter(`${name} is a ${type}, which has no fields to filter by`, type);
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
