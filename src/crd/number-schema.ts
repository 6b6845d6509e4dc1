import { z } from "zod";
import { refusal, type SchemaPath, uncheckable } from "./refusal.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import type { UnwrappedSchema } from "./unwrap-schema.ts";

interface Format {
  readonly schema: Pick<StructuralSchema, "type" | "format">;
  readonly minimum: number;
  readonly maximum: number;
}

/** With zod's bounds, because JavaScript cannot represent larger integers exactly. */
const numberFormats: Readonly<Record<z.core.$ZodNumberFormats, Format>> = {
  safeint: {
    schema: { type: "integer", format: "int64" },
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  },
  int32: { schema: { type: "integer", format: "int32" }, minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  uint32: { schema: { type: "integer", format: "int64" }, minimum: 0, maximum: 2 ** 32 - 1 },
  float32: { schema: { type: "number" }, minimum: -3.4028234663852886e38, maximum: 3.4028234663852886e38 },
  float64: { schema: { type: "number", format: "double" }, minimum: -Infinity, maximum: Infinity },
};

interface Bound {
  readonly value: number;
  readonly isExclusive: boolean;
}

export function numberSchema(
  schema: z.core.$ZodNumber,
  { checks }: UnwrappedSchema,
  path: SchemaPath,
): StructuralSchema {
  if (schema._zod.def.coerce) {
    throw refusal(path, "the API server does not turn other values into numbers", "use z.number() or z.int()");
  }
  const own = schema instanceof z.core.$ZodNumberFormat ? [schema] : [];
  const formats: Format[] = [];
  const lower: Bound[] = [];
  const upper: Bound[] = [];
  const multiples: number[] = [];
  for (const check of [...own, ...checks]) {
    if (check instanceof z.core.$ZodCheckNumberFormat) formats.push(numberFormats[check._zod.def.format]);
    else if (check instanceof z.core.$ZodCheckGreaterThan) lower.push(boundOf(check._zod.def));
    else if (check instanceof z.core.$ZodCheckLessThan) upper.push(boundOf(check._zod.def));
    else if (check instanceof z.core.$ZodCheckMultipleOf) multiples.push(Number(check._zod.def.value));
    else throw uncheckable(check, path);
  }
  const format = formats.find((each) => each.schema.type === "integer") ?? formats[0];
  lower.push(...formats.map(({ minimum }) => ({ value: minimum, isExclusive: false })));
  upper.push(...formats.map(({ maximum }) => ({ value: maximum, isExclusive: false })));
  return {
    ...(format?.schema ?? { type: "number" }),
    ...lowerBound(lower),
    ...upperBound(upper),
    ...multipleOf(multiples, path),
  };
}

function boundOf({ value, inclusive }: z.core.$ZodCheckLessThanDef | z.core.$ZodCheckGreaterThanDef): Bound {
  return { value: Number(value), isExclusive: !inclusive };
}

function lowerBound(bounds: readonly Bound[]): Pick<StructuralSchema, "minimum" | "exclusiveMinimum"> {
  const minimum = Math.max(...bounds.map(({ value }) => value));
  if (!Number.isFinite(minimum)) return {};
  return { minimum, ...(isExclusive(bounds, minimum) ? { exclusiveMinimum: true } : {}) };
}

function upperBound(bounds: readonly Bound[]): Pick<StructuralSchema, "maximum" | "exclusiveMaximum"> {
  const maximum = Math.min(...bounds.map(({ value }) => value));
  if (!Number.isFinite(maximum)) return {};
  return { maximum, ...(isExclusive(bounds, maximum) ? { exclusiveMaximum: true } : {}) };
}

function isExclusive(bounds: readonly Bound[], value: number): boolean {
  return bounds.some((bound) => bound.value === value && bound.isExclusive);
}

/** Only for integers: zod and the server compute the remainder of fractions differently. */
function multipleOf(multiples: readonly number[], path: SchemaPath): Pick<StructuralSchema, "multipleOf"> {
  const [multiple, ...others] = multiples;
  if (multiple === undefined) return {};
  if (others.length === 0 && Number.isInteger(multiple) && multiple > 0) return { multipleOf: multiple };
  throw refusal(
    path,
    "a number can be a multiple of one positive integer",
    "count in smaller units, or use validations() of #crd",
  );
}
