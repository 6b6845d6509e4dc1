import { formatFieldPath, InputError } from "#base";

/** Where a schema stands, as users write it; `[*]` is any item of a list or any value of a map. */
export type SchemaPath = string;

export function fieldBelow(path: SchemaPath, name: string): SchemaPath {
  const step = formatFieldPath([name]);
  if (path === "") return step;
  return step.startsWith("[") ? `${path}${step}` : `${path}.${step}`;
}

export function itemBelow(path: SchemaPath): SchemaPath {
  return `${path}[*]`;
}

/** What a CustomResourceDefinition cannot say, and what to write instead. */
export function refusal(path: SchemaPath, what: string, next: string): InputError {
  return new InputError(what, { where: path, next });
}
