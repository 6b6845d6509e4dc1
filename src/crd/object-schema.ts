import { z } from "zod";
import { type ConvertSchema, valueSchema } from "./array-schema.ts";
import { fieldBelow, itemBelow, refusal, type SchemaPath } from "./refusal.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** The server prunes unknown fields, as `z.object` does, so stored objects satisfy `z.strictObject` too. */
export function objectSchema(schema: z.core.$ZodObject, path: SchemaPath, convert: ConvertSchema): StructuralSchema {
  const { shape, catchall } = schema._zod.def;
  const fields = Object.entries(shape);
  const isOpen = catchall instanceof z.core.$ZodUnknown || catchall instanceof z.core.$ZodAny;
  if (catchall && !isOpen && !(catchall instanceof z.core.$ZodNever)) {
    if (fields.length === 0) return mapSchema(catchall, path, convert);
    throw refusal(
      path,
      "an object has either fields or values of one type, not both",
      "put the values below a field of their own, as z.record()",
    );
  }
  const properties = Object.fromEntries(fields.map(([name, field]) => [name, convert(field, fieldBelow(path, name))]));
  const required = fields.filter(([, field]) => field._zod.optin === undefined).map(([name]) => name);
  return {
    type: "object",
    ...(isOpen ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
    ...(fields.length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

export function recordSchema(schema: z.core.$ZodRecord, path: SchemaPath, convert: ConvertSchema): StructuralSchema {
  const { keyType, valueType, mode, partial } = schema._zod.def;
  const keys = keyType._zod.values;
  if (keys && mode !== "loose") return knownKeysSchema([...keys], valueType, partial === true, path, convert);
  const isPlain = keyType instanceof z.core.$ZodString && !(keyType instanceof z.core.$ZodStringFormat);
  if (!isPlain || keyType._zod.def.checks?.length || keyType._zod.def.coerce || mode === "loose") {
    throw refusal(
      path,
      "Kubernetes cannot restrict the keys of a map",
      "use z.string() for the keys and validations() of #crd, such as self.all(key, key.matches('^[a-z]+$'))",
    );
  }
  return mapSchema(valueType, path, convert);
}

function mapSchema(valueType: z.core.$ZodType, path: SchemaPath, convert: ConvertSchema): StructuralSchema {
  return { type: "object", additionalProperties: valueSchema(valueType, itemBelow(path), convert) };
}

function knownKeysSchema(
  keys: readonly unknown[],
  valueType: z.core.$ZodType,
  isPartial: boolean,
  path: SchemaPath,
  convert: ConvertSchema,
): StructuralSchema {
  const names = keys.filter((key) => typeof key === "string");
  if (names.length < keys.length) throw refusal(path, "the keys of a map are strings", "use an enum of strings");
  return {
    type: "object",
    properties: Object.fromEntries(
      names.map((name) => [name, valueSchema(valueType, fieldBelow(path, name), convert)]),
    ),
    ...(isPartial ? {} : { required: names }),
  };
}

/** Two objects without a common field. */
export function intersectionSchema(
  schema: z.core.$ZodIntersection,
  path: SchemaPath,
  convert: ConvertSchema,
): StructuralSchema {
  const { left, right } = schema._zod.def;
  const sides = [left, right].map((side) => {
    if (!(side instanceof z.core.$ZodObject) || side._zod.def.catchall) {
      throw refusal(path, "only two plain objects can be intersected", "write one z.object, or use .extend()");
    }
    return convert(side, path);
  });
  const names = sides.flatMap((side) => Object.keys(side.properties ?? {}));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw refusal(fieldBelow(path, twice), "both sides of an intersection have this field", "give it to one of them");
  }
  const required = sides.flatMap((side) => side.required ?? []);
  const rules = sides.flatMap((side) => side["x-kubernetes-validations"] ?? []);
  return {
    ...Object.assign({}, ...sides),
    properties: Object.assign({}, ...sides.map((side) => side.properties)),
    ...(required.length > 0 ? { required } : {}),
    ...(rules.length > 0 ? { "x-kubernetes-validations": rules } : {}),
  };
}
