import type { JsonObject } from "#base";

/** What the API server sent is JSON through and through, of which types below `unknown` are forgotten. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function jsonObject(value: object): JsonObject {
  if (!isJsonObject(value)) throw new TypeError("a list is no object");
  return value;
}
