import type { z } from "zod";
import { formatFieldPath, InputError } from "#base";

/** The path of a schema; `[*]` stands for any item of a list or any value of a map. */
export type SchemaPath = string;

export function fieldBelow(path: SchemaPath, name: string): SchemaPath {
  const step = formatFieldPath([name]);
  if (path === "") return step;
  return step.startsWith("[") ? `${path}${step}` : `${path}.${step}`;
}

export function itemBelow(path: SchemaPath): SchemaPath {
  return `${path}[*]`;
}

/** The error for what a CustomResourceDefinition cannot express, with what to write instead. */
export function refusal(path: SchemaPath, what: string, next: string): InputError {
  return new InputError(what, { where: path, next });
}

/** The error for a zod check that has no counterpart in Kubernetes. */
export function uncheckable(check: z.core.$ZodCheck, path: SchemaPath): Error {
  const name = check._zod.def.check;
  if (name === "custom") {
    return refusal(path, "the API server cannot run a refinement in JavaScript", "use validations() of #crd");
  }
  if (name === "overwrite") {
    return refusal(path, "the API server does not change values", "leave out .trim(), .toLowerCase() and the like");
  }
  return refusal(path, `nothing in Kubernetes corresponds to the check ${name}`, "use validations() of #crd");
}
