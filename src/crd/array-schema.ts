import { z } from "zod";
import { fieldBelow, itemBelow, refusal, type SchemaPath, uncheckable } from "./refusal.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import type { UnwrappedSchema } from "./unwrap-schema.ts";

/** Converts a nested schema. */
export type ConvertSchema = (schema: z.core.$ZodType, path: SchemaPath) => StructuralSchema;

export function arraySchema(
  schema: z.core.$ZodArray,
  { checks }: UnwrappedSchema,
  path: SchemaPath,
  convert: ConvertSchema,
): StructuralSchema {
  let minItems = 0;
  let maxItems = Infinity;
  for (const check of checks) {
    if (check instanceof z.core.$ZodCheckMinLength) minItems = Math.max(minItems, check._zod.def.minimum);
    else if (check instanceof z.core.$ZodCheckMaxLength) maxItems = Math.min(maxItems, check._zod.def.maximum);
    else if (check instanceof z.core.$ZodCheckLengthEquals) minItems = maxItems = check._zod.def.length;
    else throw uncheckable(check, path);
  }
  return {
    type: "array",
    ...(minItems > 0 ? { minItems } : {}),
    ...(maxItems < Infinity ? { maxItems } : {}),
    items: valueSchema(schema._zod.def.element, itemBelow(path), convert),
  };
}

/** An item of a list or a value of a map, which cannot be optional. */
export function valueSchema(schema: z.core.$ZodType, path: SchemaPath, convert: ConvertSchema): StructuralSchema {
  if (schema._zod.optin !== undefined) {
    throw refusal(
      path,
      "an item of a list or a value of a map cannot be optional or have a default",
      "leave out .optional() and .default()",
    );
  }
  return convert(schema, path);
}

/** The server's requirements for lists of the types `set` and `map`. */
export function checkListType(list: StructuralSchema, path: SchemaPath): void {
  const { items = {}, "x-kubernetes-list-type": type, "x-kubernetes-list-map-keys": keys = [] } = list;
  if (type !== "set" && type !== "map") return;
  if (items.nullable) throw refusal(itemBelow(path), `null cannot be an item of a ${type}`, "leave out .nullable()");
  for (const key of keys) {
    const field = items.properties?.[key];
    const where = fieldBelow(itemBelow(path), key);
    if (field?.type === undefined || field.type === "object" || field.type === "array" || field.nullable) {
      throw refusal(
        where,
        "a key of a list must be a scalar field of its items, and not nullable",
        "name another field",
      );
    }
    if (!items.required?.includes(key) && field.default === undefined) {
      throw refusal(
        where,
        "a key of a list must be required or have a default",
        "leave out .optional() or add .default()",
      );
    }
  }
}
