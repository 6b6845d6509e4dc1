import { isJsonObject, type JsonObject, type JsonValue } from "#base";

/** In a data file, stands for another one: an object whose only key is `$ref`. With a second key it is plain data. */
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

/** What a reference has after the path, from the first `#` or `$` on. References are to whole files: such a one leads nowhere. */
export function fragmentOf({ $ref }: Reference): string | undefined {
  const begin = $ref.search(/[#$]/);
  return begin === -1 ? undefined : $ref.slice(begin);
}
