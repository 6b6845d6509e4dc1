import { InputError, isJsonObject, type JsonObject, type JsonValue } from "#base";
import { type Exact, type ExactObject, isExactList, WholeFloat } from "./exact.ts";

/** The object as JSON that can be sent: itself, if it is. Refuses integers that JSON, as JavaScript writes it, would round. */
export function plainBody(body: ExactObject, where: string): JsonObject {
  const plain = isPlain(body) ? body : plainValue(body, where);
  return isJsonObject(plain) ? plain : {};
}

function isPlain(value: Exact): value is JsonValue {
  if (value === null || typeof value !== "object") return typeof value !== "bigint";
  if (value instanceof WholeFloat) return false;
  return (isExactList(value) ? value : Object.values(value)).every(isPlain);
}

function plainValue(value: Exact, where: string): JsonValue {
  if (typeof value === "bigint") {
    throw new InputError(`the integer ${value} is too large to be sent exactly`, { where, next: "put it in quotes" });
  }
  if (value instanceof WholeFloat) return value.value;
  if (value === null || typeof value !== "object") return value;
  if (isExactList(value)) return value.map((item) => plainValue(item, where));
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, plainValue(field, where)]));
}
