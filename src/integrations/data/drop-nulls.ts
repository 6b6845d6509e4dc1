import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";

/** The same without keys whose value is null, at any depth. Null items of lists stay: their place counts. */
export function dropNulls(object: JsonObject): JsonObject {
  const kept: { [key: string]: JsonValue } = {};
  for (const [key, value] of Object.entries(object)) if (value !== null) kept[key] = withoutNulls(value);
  return kept;
}

function withoutNulls(value: JsonValue): JsonValue {
  if (isJsonList(value)) return value.map(withoutNulls);
  return isJsonObject(value) ? dropNulls(value) : value;
}
