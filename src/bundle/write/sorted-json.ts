import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";

/** Compact JSON with sorted keys. `extra` gives objects further keys, without a copy of them. */
export function sortedJson(value: JsonValue, extra: ReadonlyMap<JsonValue, JsonObject> = new Map()): string {
  if (isJsonList(value)) return `[${value.map((item) => sortedJson(item, extra)).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const more = extra.get(value);
  const entries = Object.entries(more === undefined ? value : { ...value, ...more });
  const fields = entries
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, part]) => `${JSON.stringify(key)}:${sortedJson(part, extra)}`);
  return `{${fields.join(",")}}`;
}

/** The same in ASCII, as Python's json module writes it. */
export function asciiJson(value: JsonValue): string {
  return sortedJson(value).replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
