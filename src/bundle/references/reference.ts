import { isJsonObject, type JsonObject, type JsonValue } from "#base";

/** A reference to another data file: an object whose only key is `$ref`. With a second key it is plain data. */
export interface Reference extends JsonObject {
  readonly $ref: string;
}

export function isReference(value: JsonValue | undefined): value is Reference {
  return isJsonObject(value) && typeof value["$ref"] === "string" && hasOneKey(value);
}

function hasOneKey(object: JsonObject): boolean {
  let count = 0;
  for (const key in object) {
    if (key !== "$ref" || ++count > 1) return false;
  }
  return count === 1;
}

/** The part of a reference from the first `#` or `$` on. Not supported: references are to whole files. */
export function fragmentOf({ $ref }: Reference): string | undefined {
  const begin = $ref.search(/[#$]/);
  return begin === -1 ? undefined : $ref.slice(begin);
}
