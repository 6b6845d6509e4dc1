import { refusal, type SchemaPath } from "./refusal.ts";
import type { StructuralSchema, StructuralType } from "./structural-schema.ts";

type EnumValue = string | number | boolean;

/** One of these values, which must all be of one type. */
export function enumSchema(values: Iterable<unknown>, path: SchemaPath): StructuralSchema {
  const distinct = [...new Set(values)];
  const kept = distinct.filter(isEnumValue);
  const types = new Set(kept.map(typeOf));
  if (types.size === 2 && types.has("integer") && types.has("number")) types.delete("integer");
  const [type, ...others] = types;
  if (type === undefined || others.length > 0 || kept.length < distinct.length) {
    throw refusal(
      path,
      "the values of an enum must be all strings, all numbers or all booleans",
      "give one type, and .nullable() for null",
    );
  }
  return { type, enum: kept };
}

function isEnumValue(value: unknown): value is EnumValue {
  return (
    typeof value === "string" || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))
  );
}

function typeOf(value: EnumValue): StructuralType {
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "boolean";
  return Number.isInteger(value) ? "integer" : "number";
}
