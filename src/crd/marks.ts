import { z } from "zod";
import type { StructuralSchema, ValidationRule } from "./structural-schema.ts";

/** Kubernetes extensions of a zod schema that zod itself cannot express. */
export interface SchemaMark {
  readonly rules?: readonly ValidationRule[];
  readonly schema?: Partial<StructuralSchema>;
}

export interface MarkProblem {
  readonly message: string;
  readonly path?: readonly (string | number)[];
}

/**
 * Marks are stored by zod check, not by schema in a registry, because `.optional()`, `.extend()` and others copy the checks
 * to a new schema that the registry would not know.
 */
const marks = new WeakMap<z.core.$ZodCheck, SchemaMark>();

/** Adds a mark, and a check that zod runs for it on values that are present. */
export function withMark<Schema extends z.ZodType>(
  schema: Schema,
  mark: SchemaMark,
  findProblems: (value: NonNullable<z.output<Schema>>) => readonly MarkProblem[] = () => [],
): Schema {
  const check = z.check<z.output<Schema>>(({ value, issues }) => {
    if (value === undefined || value === null) return;
    for (const { message, path = [] } of findProblems(value)) {
      issues.push({ code: "custom", message, path: [...path], input: value });
    }
  });
  marks.set(check, mark);
  return schema.check(check);
}

export function markOf(check: z.core.$ZodCheck): SchemaMark | undefined {
  return marks.get(check);
}
