import { InputError, type JsonObject } from "#base";

/** A field that has to be text, which is empty where it is left out; says how to quote what is something else. */
export function textField(object: JsonObject, field: string, where: string): string {
  const value = object[field] ?? "";
  if (typeof value === "string") return value;
  throw new InputError(`is a ${typeof value}, and has to be text`, {
    where: `${where}.${field}`,
    next: `put it in quotes: ${field}: '${JSON.stringify(value)}'`,
  });
}
