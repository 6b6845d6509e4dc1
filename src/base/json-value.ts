/** What JSON can say, as JavaScript holds it. */
export type JsonValue = null | boolean | number | string | JsonList | JsonObject;
export type JsonList = readonly JsonValue[];
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isJsonList(value: JsonValue | undefined): value is JsonList {
  return Array.isArray(value);
}

/** Of what may be anything, such as what others sent. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
