import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { ConvertSchema } from "./array-schema.ts";
import { fieldBelow, refusal, type SchemaPath } from "./refusal.ts";
import type { StructuralSchema, StructuralType, ValueValidation } from "./structural-schema.ts";

/** The unions that Kubernetes supports: with null, of constants, of integers and strings, and of objects with a discriminator. */
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
    "Kubernetes does not support this union",
    "use z.discriminatedUnion, intOrString() of #crd, .nullable(), or one object whose fields are optional",
  );
}

/** Bounds apply only to integers and patterns only to strings, so both can be combined. */
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

interface Branch {
  readonly schema: StructuralSchema;
  readonly isClosed: boolean;
}

/**
 * In a structural schema each field has one definition, and `oneOf` may only restrict values. So the fields of all branches
 * are listed together, and each branch of `oneOf` has its value of the discriminator and its required fields.
 * The server keeps a field of another branch where `z.object` drops it; branches that are `z.strictObject` forbid it on both sides.
 */
function branchesSchema(
  options: readonly z.core.$ZodType[],
  discriminator: string,
  path: SchemaPath,
  convert: ConvertSchema,
): StructuralSchema {
  const branches = options.map((option) => readBranch(option, path, convert));
  const names = [...new Set(branches.flatMap(({ schema }) => Object.keys(schema.properties ?? {})))];
  const properties = Object.fromEntries(
    names.map((name) => [name, sharedField(name, name === discriminator, branches, fieldBelow(path, name))]),
  );
  return {
    type: "object",
    properties,
    required: [discriminator],
    oneOf: branches.map((branch) => branchValidation(branch, discriminator, names)),
  };
}

function readBranch(option: z.core.$ZodType, path: SchemaPath, convert: ConvertSchema): Branch {
  if (!(option instanceof z.core.$ZodObject)) {
    throw refusal(path, "a branch of a union must be an object", "use z.object or z.strictObject for each branch");
  }
  const { catchall } = option._zod.def;
  if (catchall && !(catchall instanceof z.core.$ZodNever)) {
    throw refusal(path, "a branch of a union cannot be open", "use z.object or z.strictObject for each branch");
  }
  const schema = convert(option, path);
  if (schema["x-kubernetes-validations"]) {
    throw refusal(
      path,
      "a branch of a union cannot have rules",
      "put them on the union, such as self.type != 'a' || self.size > 1",
    );
  }
  return { schema, isClosed: catchall !== undefined };
}

function sharedField(
  name: string,
  isDiscriminator: boolean,
  branches: readonly Branch[],
  path: SchemaPath,
): StructuralSchema {
  const variants = branches.flatMap(({ schema }) => schema.properties?.[name] ?? []);
  const [first = {}, ...others] = variants;
  if (isDiscriminator) return discriminatorSchema(variants, branches, name, path);
  if (others.some((other) => !isDeepStrictEqual(other, first))) {
    throw refusal(
      path,
      "a field of several branches must have the same schema in all of them",
      "use another name for it",
    );
  }
  if (hasDefault(first) && variants.length < branches.length) {
    throw refusal(path, "the API server would fill in this default in every branch", "leave out the default");
  }
  return first;
}

function discriminatorSchema(
  variants: readonly StructuralSchema[],
  branches: readonly Branch[],
  name: string,
  path: SchemaPath,
): StructuralSchema {
  if (branches.some(({ schema }) => !schema.required?.includes(name))) {
    throw refusal(path, "the discriminator of a union must be required", "leave out .optional() and .default()");
  }
  return {
    ...variants[0],
    ...enumSchema(
      variants.flatMap((variant) => variant.enum ?? []),
      path,
    ),
  };
}

function hasDefault(schema: StructuralSchema): boolean {
  return schema.default !== undefined;
}

function branchValidation(
  { schema, isClosed }: Branch,
  discriminator: string,
  names: readonly string[],
): ValueValidation {
  const value = schema.properties?.[discriminator]?.enum ?? [];
  const required = (schema.required ?? []).filter((name) => name !== discriminator);
  const foreign = names.filter((name) => !Object.hasOwn(schema.properties ?? {}, name));
  return {
    properties: { [discriminator]: { enum: value } },
    ...(required.length > 0 ? { required } : {}),
    ...(isClosed && foreign.length > 0 ? { not: { anyOf: foreign.map((name) => ({ required: [name] })) } } : {}),
  };
}

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
