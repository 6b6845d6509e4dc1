import type { JsonValue } from "#base";

/** Every value of a config is text: objects and lists are written as compact JSON. Undefined: null, which is no value. */
export function textOf(value: JsonValue | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}
