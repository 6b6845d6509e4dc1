import { z } from "zod";
import type { StructuralSchema, ValidationRule } from "./structural-schema.ts";

/** What a zod schema says to Kubernetes beyond what zod itself can say. */
export interface SchemaMark {
  readonly rules?: readonly ValidationRule[];
  readonly schema?: Partial<StructuralSchema>;
}

export interface MarkProblem {
  readonly message: string;
  readonly path?: readonly (string | number)[];
}

/**
 * Marks are checks, rather than entries of a registry, because `.optional()`, `.extend()` and the like keep checks and
 * lose what a registry has.
 */
const marks = new WeakMap<z.core.$ZodCheck, SchemaMark>();

/** The schema with a mark and with what zod should check on account of it; absent values are not checked. */
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
