import { z } from "zod";
import { arraySchema, checkListType } from "./array-schema.ts";
import { checkRules } from "./validations.ts";
import { enumSchema, unionSchema } from "./union-schema.ts";
import { numberSchema } from "./number-schema.ts";
import { intersectionSchema, objectSchema, recordSchema } from "./object-schema.ts";
import { refusal, type SchemaPath, uncheckable } from "./refusal.ts";
import { stringSchema, templateSchema } from "./string-schema.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import { type UnwrappedSchema, unwrapSchema } from "./unwrap-schema.ts";

/**
 * The schema of a CustomResourceDefinition for a zod schema. The server never accepts what zod refuses, so that whatever is
 * stored can be read; what a CustomResourceDefinition cannot say is refused with the field and what to write instead.
 */
export function toStructuralSchema(schema: z.core.$ZodType, path: SchemaPath): StructuralSchema {
  return convert(schema, path, []);
}

function convert(schema: z.core.$ZodType, path: SchemaPath, parents: readonly z.core.$ZodType[]): StructuralSchema {
  const unwrapped = unwrapSchema(schema, path);
  if (parents.includes(unwrapped.schema)) {
    throw refusal(path, "a type that contains itself has no end", "use z.json() or z.looseObject({}) where it repeats");
  }
  const below = [...parents, unwrapped.schema];
  const core = shapeOf(unwrapped, path, (inner, innerPath) => convert(inner, innerPath, below));
  return decorate(core, unwrapped, path);
}

function shapeOf(
  unwrapped: UnwrappedSchema,
  path: SchemaPath,
  below: (schema: z.core.$ZodType, path: SchemaPath) => StructuralSchema,
): StructuralSchema {
  const { schema, checks } = unwrapped;
  if (schema instanceof z.core.$ZodString) return stringSchema(schema, unwrapped, path);
  if (schema instanceof z.core.$ZodNumber) return numberSchema(schema, unwrapped, path);
  if (schema instanceof z.core.$ZodArray) return arraySchema(schema, unwrapped, path, below);
  const [check] = checks;
  if (check) throw uncheckable(check, path);
  if (schema instanceof z.core.$ZodBoolean && !schema._zod.def.coerce) return { type: "boolean" };
  if (schema instanceof z.core.$ZodEnum) return enumSchema(schema._zod.values, path);
  if (schema instanceof z.core.$ZodLiteral) return enumSchema(schema._zod.def.values, path);
  if (schema instanceof z.core.$ZodTemplateLiteral) return templateSchema(schema, path);
  if (schema instanceof z.core.$ZodObject) return objectSchema(schema, path, below);
  if (schema instanceof z.core.$ZodRecord) return recordSchema(schema, path, below);
  if (schema instanceof z.core.$ZodUnion) return unionSchema(schema, path, below);
  if (schema instanceof z.core.$ZodIntersection) return intersectionSchema(schema, path, below);
  if (schema instanceof z.core.$ZodUnknown || schema instanceof z.core.$ZodAny) return anything;
  if (schema instanceof z.core.$ZodLazy) {
    return isJson(schema) ? anything : below(schema._zod.innerType, path);
  }
  const { type } = schema._zod.def;
  throw refusal(path, `Kubernetes cannot express z.${type}`, insteadOf[type] ?? "use another type");
}

const anything: StructuralSchema = { "x-kubernetes-preserve-unknown-fields": true, nullable: true };

const insteadOf: Readonly<Record<string, string>> = {
  boolean: "use z.boolean(): the API server does not turn other values into booleans",
  bigint: "use z.int(), or a z.string().regex() for integers beyond 2^53",
  catch: "leave out .catch(): what is invalid is refused",
  custom: "use the schema of what is in the YAML",
  date: "use z.iso.datetime()",
  file: "use z.base64()",
  map: "use z.record(z.string(), ...)",
  nan: "leave it out: JSON has no NaN",
  never: "leave the field out",
  null: "use .nullable() on what it may be otherwise",
  pipe: "use the schema of what is in the YAML, and transform after parsing",
  set: "use listSet(z.array(...)) of #crd",
  transform: "use the schema of what is in the YAML, and transform after parsing",
  tuple: "use z.object with a name for each item, or z.array",
  undefined: "leave the field out",
  void: "leave the field out",
};

/** z.json() is the one type that contains itself and yet can be expressed. */
function isJson(lazy: z.core.$ZodLazy): boolean {
  const union = lazy._zod.innerType;
  if (!(union instanceof z.core.$ZodUnion)) return false;
  const { options } = union._zod.def;
  const types = options.map((option) => option._zod.def.type);
  const isList = options.some((option) => option instanceof z.core.$ZodArray && option._zod.def.element === lazy);
  return isList && types.join() === "string,number,boolean,null,array,record";
}

/** Adds what stands beside the shape: descriptions, defaults, null and our marks. */
function decorate(core: StructuralSchema, unwrapped: UnwrappedSchema, path: SchemaPath): StructuralSchema {
  const { description, isNullable, defaultValue, marks } = unwrapped;
  const rules = [...(core["x-kubernetes-validations"] ?? []), ...marks.flatMap((mark) => mark.rules ?? [])];
  const schema: StructuralSchema = {
    ...(description === undefined ? {} : { description }),
    ...core,
    ...(isNullable ? { nullable: true } : {}),
    ...(defaultValue === undefined ? {} : { default: defaultValue }),
    ...Object.assign({}, ...marks.map((mark) => mark.schema)),
    ...(rules.length > 0 ? { "x-kubernetes-validations": rules } : {}),
  };
  checkListType(schema, path);
  checkRules(schema, path);
  if (schema.nullable && schema.enum) {
    throw refusal(path, "the API server never takes null for one of an enum", "use .optional() instead of .nullable()");
  }
  return schema["x-kubernetes-embedded-resource"] ? withoutTypeMeta(schema) : schema;
}

/** The server knows the schema of an embedded object's own apiVersion, kind and metadata, and wants no other. */
function withoutTypeMeta(schema: StructuralSchema): StructuralSchema {
  const { properties: _properties, required: _required, ...rest } = schema;
  return rest;
}
