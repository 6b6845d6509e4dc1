import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { ConvertSchema } from "./array-schema.ts";
import { enumSchema } from "./enum-schema.ts";
import { fieldBelow, refusal, type SchemaPath } from "./refusal.ts";
import type { StructuralSchema, ValueValidation } from "./structural-schema.ts";

interface Branch {
  readonly schema: StructuralSchema;
  readonly isClosed: boolean;
}

/**
 * A structural schema gives each field one shape, and `oneOf` may only restrict values. So the fields of all branches stand
 * together, and a branch of `oneOf` says which value of the discriminator it is for and what it requires.
 * The server keeps a field of another branch where `z.object` drops it; branches that are `z.strictObject` forbid it on both sides.
 */
export function branchesSchema(
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
    throw refusal(path, "what tells branches apart must be there", "leave out .optional() and .default()");
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
