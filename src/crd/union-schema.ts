import { z } from "zod";
import type { ConvertSchema } from "./array-schema.ts";
import { branchesSchema } from "./branches-schema.ts";
import { enumSchema } from "./enum-schema.ts";
import { refusal, type SchemaPath } from "./refusal.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** The unions that Kubernetes has: with null, of constants, of integers and strings, and of objects told apart by a field. */
export function unionSchema(union: z.core.$ZodUnion, path: SchemaPath, convert: ConvertSchema): StructuralSchema {
  const all = union._zod.def.options;
  const options = all.filter((option) => !(option instanceof z.core.$ZodNull));
  const schema = withoutNull(union, options, path, convert);
  return options.length < all.length ? { ...schema, nullable: true } : schema;
}

function withoutNull(
  union: z.core.$ZodUnion,
  options: readonly z.core.$ZodType[],
  path: SchemaPath,
  convert: ConvertSchema,
): StructuralSchema {
  const [first, second, third] = options;
  if (first && !second) return convert(first, path);
  if (options.every((option) => option instanceof z.core.$ZodLiteral || option instanceof z.core.$ZodEnum)) {
    return enumSchema(
      options.flatMap((option) => [...(option._zod.values ?? [])]),
      path,
    );
  }
  if (union instanceof z.core.$ZodDiscriminatedUnion) {
    return branchesSchema(options, union._zod.def.discriminator, path, convert);
  }
  if (first && second && !third) {
    const schema = intOrStringSchema([convert(first, path), convert(second, path)]);
    if (schema) return schema;
  }
  throw refusal(
    path,
    "Kubernetes has no union of these",
    "use z.discriminatedUnion, intOrString() of #crd, .nullable(), or one object whose fields are optional",
  );
}

/** Bounds bind only integers and patterns only strings, so both may stand side by side. */
function intOrStringSchema(options: readonly [StructuralSchema, StructuralSchema]): StructuralSchema | undefined {
  const integer = options.find(({ type }) => type === "integer");
  const text = options.find(({ type }) => type === "string");
  if (!integer || !text || [integer, text].some((option) => option.enum || option.nullable)) return undefined;
  if (text.format !== undefined || [integer, text].some((option) => option["x-kubernetes-validations"]))
    return undefined;
  const { type: _integer, format: _format, ...bounds } = integer;
  const { type: _string, ...lengths } = text;
  return { "x-kubernetes-int-or-string": true, ...bounds, ...lengths };
}
