import type { JsonObject } from "#base";

/** For objects that came from the API server: they are JSON throughout, although their types say `unknown`. */
export function jsonObject(value: object): JsonObject {
  if (!isJsonObject(value)) throw new TypeError("expected an object, got a list");
  return value;
}

function isJsonObject(value: object): value is JsonObject {
  return !Array.isArray(value);
}
